// Scenarios that kill processes: the server, the server with its children, the launcher, and a starting server.
import { join } from 'node:path';
import { transactionOpen, watchedPreload } from '../transaction-watch.ts';
import { type Forge, signal } from './forge.ts';
import { both, pause, worked, type Round, type Scenario } from './scenario.ts';

const stateFile = ({ root }: Pick<Forge, 'root'>): string => join(root, 'transactions');

/** Notes what a server is doing that is suspended and will be killed. */
async function noteWork({ forge, note }: Round): Promise<void> {
  if (forge.tree().some(({ command }) => command.includes('receive-pack'))) note('in receive-pack');
  if (await transactionOpen(stateFile(forge), forge.databaseUrl)) note('in a transaction');
}

const watched = {
  preload: watchedPreload,
  environment: (root: string) => ({ HEXFORGE_TEST_TRANSACTION_FILE: stateFile({ root }) }),
};

/** Starts a server and kills it at a random time before or shortly after it is ready. */
async function killedStart({ forge, random, note }: Round, longestMs: number): Promise<void> {
  const { ready } = forge.launch();
  let readied = false;
  ready.then(
    () => (readied = true),
    () => undefined,
  );
  await pause(random() * longestMs);
  note(readied ? 'after a start' : 'in a start');
  await forge.killTree();
}

/** Every fourth start has no database; the others have an empty one, which is quicker. */
function firstStart(): Scenario {
  let number = 0;
  return {
    name: 'kill-first-start',
    says: 'the very first start is killed twice, in its migrations or before',
    engines: both,
    first: true,
    forge: {
      async prepare(_forge, lay) {
        number += 1;
        if (number % 4 !== 0) await lay();
      },
    },
    async disturb(round) {
      for (let kill = 0; kill < 2; kill += 1) await killedStart(round, 2500);
    },
    restore: ({ forge }) => forge.start(),
  };
}

export const kills: readonly Scenario[] = [
  {
    name: 'kill-server',
    says: 'the server alone is killed, and its children are not',
    engines: both,
    forge: watched,
    async disturb(round) {
      const [server] = round.forge.servers;
      await worked(round, 10 + round.random() * 100);
      server?.signal('SIGSTOP');
      await noteWork(round);
      server?.signal('SIGKILL');
      await server?.ended();
    },
    restore: ({ forge }) => forge.start(),
  },
  {
    name: 'kill-tree',
    says: 'the server is killed with everything that it runs',
    engines: both,
    quick: 'embedded',
    forge: watched,
    async disturb(round) {
      await worked(round, 10 + round.random() * 100);
      round.forge.freeze();
      await noteWork(round);
      await round.forge.killTree();
    },
    restore: ({ forge }) => forge.start(),
  },
  {
    name: 'kill-helper',
    says: 'the process that starts programs is killed, and the server runs on',
    engines: both,
    quick: 'postgresql',
    async disturb(round) {
      const { forge, random, note } = round;
      for (let kill = 0; kill < 4; kill += 1) {
        await worked(round, 5 + random() * 30);
        const [server, ...below] = forge.tree();
        const helper = below.find(
          ({ parent, command }) => parent === server?.pid && command.startsWith(process.execPath),
        );
        if (helper === undefined) continue;
        if (below.some(({ command }) => command.includes('receive-pack'))) note('in receive-pack');
        note('helpers killed');
        signal(helper.pid, 'SIGKILL');
      }
      await pause(300);
    },
  },
  {
    name: 'kill-start',
    says: 'the server is killed with everything it runs, and twice more while it starts',
    engines: both,
    async disturb(round) {
      await worked(round, 10 + round.random() * 40);
      await round.forge.killTree();
      for (let kill = 0; kill < 2; kill += 1) await killedStart(round, 1500);
    },
    restore: ({ forge }) => forge.start(),
  },
  firstStart(),
];
