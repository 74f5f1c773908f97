// Scenarios of two processes on one PostgreSQL and one data directory: a concurrent start, and a kill while one has a
// lock.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { query } from '#test/support/servers/postgres';
import { signal } from './forge.ts';
import { pause, worked, type Round, type Scenario } from './scenario.ts';

const tries = 60;

/** The paths of git's lock files. */
async function lockFiles({ forge }: Round): Promise<readonly string[]> {
  const files = await readdir(join(forge.dataDir, 'repositories'), { recursive: true }).catch(() => []);
  return files.filter((path) => path.endsWith('.lock'));
}

async function advisoryLocks({ forge }: Round): Promise<number> {
  const [row] = await query(
    forge.databaseUrl ?? '',
    `select count(*) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  );
  return Number(row?.['count'] ?? 0);
}

/**
 * The kinds of locks that the killed process has, one per round. `advisoryAtRest` is the number of advisory locks
 * before the round.
 */
const held: readonly {
  readonly what: string;
  readonly holds: (round: Round, advisoryAtRest: number) => Promise<boolean>;
}[] = [
  {
    what: 'holding a ref lock',
    holds: async (round) => (await lockFiles(round)).some((path) => path.includes('refs/')),
  },
  { what: 'holding an advisory lock', holds: async (round, atRest) => (await advisoryLocks(round)) > atRest },
  {
    what: 'holding HEAD.lock',
    holds: async (round) => (await lockFiles(round)).some((path) => path.endsWith('HEAD.lock')),
  },
];

function killedHolder(): Scenario {
  let number = 0;
  return {
    name: 'kill-holder',
    says: 'one of two processes is killed while it holds a lock, and the other goes on at once',
    engines: ['postgresql'],
    forge: { processes: 2 },
    async disturb(round) {
      const { forge, random, note, redirect } = round;
      const victim = number % 2;
      const survivor = 1 - victim;
      const wanted = held[number % held.length];
      number += 1;
      for (const index of [victim, survivor]) if (forge.servers[index]?.running !== true) await forge.start(index);
      const atRest = await advisoryLocks(round);
      redirect(survivor, victim);
      redirect(victim, victim);
      await worked(round, 10);
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const frozen = forge.freeze(victim);
        if ((await wanted?.holds(round, atRest)) === true) {
          note(wanted?.what ?? '');
          break;
        }
        for (const pid of frozen) signal(pid, 'SIGCONT');
        await pause(random() * 15);
      }
      await forge.killTree(victim);
      redirect(survivor, survivor);
      redirect(victim, survivor);
      await pause(500);
    },
  };
}

export const pairs: readonly Scenario[] = [
  killedHolder(),
  {
    name: 'start-together',
    says: 'two processes start at once on an empty database and work side by side',
    engines: ['postgresql'],
    first: true,
    calm: true,
    forge: { processes: 2 },
    disturb: ({ forge }) => forge.startAll(),
  },
];
