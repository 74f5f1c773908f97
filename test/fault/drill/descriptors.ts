// The scenario of a server with few file descriptors and many concurrent requests.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { both, pause, type Round, type Scenario } from './scenario.ts';
import { vagueness, wordsOf } from './load/client.ts';

const asking = 70;
const idle = 200;

/** Reads, each on a separate connection; a rejection must name its cause. */
async function ask({ estates, figures }: Round, until: number): Promise<void> {
  const [estate] = estates;
  while (estate !== undefined && Date.now() < until) {
    const sent = await estate.client.send('GET', `/repos/${estate.home}/commits?ref=main`);
    if (sent.outcome !== 'answered') await pause(50);
    else if (sent.status === 200) figures.acknowledge('read');
    else {
      figures.refuse('read', wordsOf(sent));
      figures.find(vagueness('a read', sent));
    }
  }
}

async function idleConnection(url: string): Promise<Socket | undefined> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect').catch(() => undefined), pause(200)]);
  return socket;
}

export const descriptors: readonly Scenario[] = [
  {
    name: 'few-descriptors',
    says: `the server may open 256 files, ${asking} clients ask and ${idle} more only connect`,
    engines: both,
    forge: { shell: () => 'ulimit -n 256' },
    async disturb(round) {
      const until = Date.now() + 3000;
      const asked = Array.from({ length: asking }, () => ask(round, until));
      await pause(500);
      const sockets = await Promise.all(Array.from({ length: idle }, () => idleConnection(round.forge.urls[0] ?? '')));
      await Promise.all(asked);
      for (const socket of sockets) socket?.destroy();
      await pause(300);
    },
  },
];
