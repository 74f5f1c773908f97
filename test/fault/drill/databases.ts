// Scenarios with an unavailable PostgreSQL: it is stopped, crashes, or its replies are lost.
import { DatabaseProxy } from './database-proxy.ts';
import { pause, worked, type Scenario } from './scenario.ts';
import { randomFrom } from './load/workers.ts';

function stopped(mode: 'fast' | 'immediate'): Scenario {
  return {
    name: `postgres-${mode}`,
    says: `PostgreSQL is stopped (${mode}) under load and comes back`,
    engines: ['postgresql'],
    needsCluster: true,
    refuses: true,
    async disturb(round) {
      const { cluster, random } = round;
      if (cluster === undefined) throw new Error('this scenario stops PostgreSQL: leave --database-url out');
      await worked(round, 10 + random() * 60);
      await cluster.pause(mode);
      try {
        await pause(200 + random() * 1000);
      } finally {
        await cluster.resume();
      }
      await pause(500);
    },
  };
}

function lostReplies(): Scenario {
  let proxy: DatabaseProxy | undefined;
  return {
    name: 'lost-replies',
    says: 'connections to PostgreSQL break after a query was done and before its reply arrives',
    engines: ['postgresql'],
    quick: 'postgresql',
    forge: {
      async through(databaseUrl) {
        proxy = await DatabaseProxy.open(databaseUrl, randomFrom(1));
        return proxy.url;
      },
    },
    async disturb(round) {
      const { note, random } = round;
      if (proxy === undefined) throw new Error('the proxy is not open');
      const before = proxy.lost.length;
      proxy.lose({ any: 0.003, commit: 0.05 });
      await pause(1000);
      await worked(round, 50 + random() * 100);
      proxy.lose();
      for (const what of proxy.lost.slice(before)) note(`${what} lost`);
      await pause(300);
    },
    end: async () => proxy?.close(),
  };
}

export const databases: readonly Scenario[] = [stopped('fast'), stopped('immediate'), lostReplies()];
