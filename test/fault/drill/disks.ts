// Scenarios of a full disk: under the data directory, only under the write-ahead log, and under the log file.
import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { withDatabase } from '../inspection.ts';
import type { Forge, ForgeOptions } from './forge.ts';
import { both, felt, pause, worked, type Round, type Scenario } from './scenario.ts';
import { vagueness, wordsOf } from './load/client.ts';
import { SmallDisk } from './small-disk.ts';

const megabytes = 400;
const segment = 16 * 1024 ** 2;
/** Bytes that stay free in the log segment: less than the traffic writes in one round. */
const leftInSegment = 200 * 1024;

/** A scenario with one small disk, which is full for a part of each round. */
function full(
  scenario: Omit<Scenario, 'disturb' | 'forge' | 'end'>,
  {
    before = async () => undefined,
    atLast = async () => undefined,
    free,
    ...forge
  }: Omit<ForgeOptions, 'engine' | 'prepare'> & {
    readonly mount: (forge: Forge, lay: () => Promise<void>) => Promise<SmallDisk>;
    readonly before?: (round: Round) => Promise<void>;
    /** Runs while the server is suspended, just before the disk is filled. */
    readonly atLast?: (round: Round) => Promise<void>;
    /** Bytes that stay free, from a random number between 0 and 1. */
    readonly free: (dice: number) => number;
  },
): Scenario {
  let disk: SmallDisk | undefined;
  return {
    ...scenario,
    forge: {
      ...forge,
      async prepare(one, lay) {
        disk = await forge.mount(one, lay);
      },
    },
    async disturb(round) {
      await before(round);
      await worked(round, 10 + round.random() * 30);
      const [server] = round.forge.servers;
      server?.signal('SIGSTOP');
      await atLast(round);
      disk?.fill(free(round.random()));
      server?.signal('SIGCONT');
      const writing = new AbortController();
      const written = writeAhead(round, writing.signal);
      try {
        await pause(1000);
        await (scenario.refuses === true ? felt(round) : worked(round, enoughWork));
      } finally {
        disk?.free();
        writing.abort();
      }
      await written;
      await pause(500);
    },
    async end() {
      disk?.unmount();
      disk = undefined;
    },
  };
}

/** After this many operations the server has either shown that it continues, or needs its next log segment. */
const enoughWork = 400;
const writersPerEstate = 3;

/** Writes much into the write-ahead log of the database, in fields that are not checked afterwards. */
async function writeAhead({ estates, figures, random }: Round, until: AbortSignal): Promise<void> {
  const write = async ({ client }: Round['estates'][number]): Promise<void> => {
    while (!until.aborted) {
      const bio = Array.from({ length: 80 }, () => random().toString(36).slice(2)).join(' ');
      const sent = await client.send('PATCH', '/user', { bio }, client.session);
      if (sent.outcome !== 'answered') await pause(20);
      else if (sent.status === 200) figures.acknowledge('profile');
      else {
        figures.refuse('profile', wordsOf(sent));
        figures.find(vagueness('a profile', sent));
      }
    }
  };
  await Promise.all(estates.flatMap((estate) => Array.from({ length: writersPerEstate }, () => write(estate))));
}

const wal = (forge: Forge): string => join(forge.dataDir, 'database', 'pg_wal');

/** Fills the log segment in use almost completely, while the server is stopped. */
async function nearlyFullSegment({ forge, figures, aside }: Round): Promise<void> {
  await aside(async () => {
    figures.find(...(await forge.stop()));
    await withDatabase(forge.dataDir, undefined, async (kysely) => {
      const { rows } = await sql<{ used: string }>`
      select mod(pg_current_wal_insert_lsn() - '0/0'::pg_lsn, ${segment}::numeric)::text as used`.execute(kysely);
      const missing = segment - leftInSegment - Number(rows[0]?.used ?? 0);
      for (let rest = missing; rest > 0; rest -= 1024 ** 2)
        await sql`select pg_logical_emit_message(false, 'drill', repeat('x', ${Math.min(rest, 1024 ** 2)}::int))`.execute(
          kysely,
        );
    });
    await forge.start();
  });
}

/** Removes the next segment, which a start creates in advance, so that it must be created when the disk is full. */
async function withoutNext({ forge }: Round): Promise<void> {
  const segments = (await readdir(wal(forge))).filter((name) => /^[0-9A-F]{24}$/.test(name));
  const written = await Promise.all(
    segments.map(async (name) => ({ name, at: (await stat(join(wal(forge), name))).mtimeMs })),
  );
  const [current = { name: '' }] = written.toSorted((a, b) => b.at - a.at);
  for (const name of segments) if (name > current.name) await rm(join(wal(forge), name));
}

export const disks: readonly Scenario[] = [
  full(
    { name: 'full-data', says: 'the disk of the data directory is full for a while', engines: both, refuses: true },
    {
      async mount(forge, lay) {
        const disk = SmallDisk.mount(forge.dataDir, megabytes);
        await lay();
        return disk;
      },
      free: (dice) => (dice < 0.5 ? 0 : Math.floor(dice * 2 ** 21)),
    },
  ),
  full(
    {
      name: 'full-wal',
      says: 'the write-ahead log of the embedded database is nearly out of room, and its disk is full: it goes on or refuses',
      engines: ['embedded'],
    },
    {
      async mount(forge, lay) {
        await lay();
        const aside = join(forge.root, 'pg_wal');
        await rename(wal(forge), aside);
        const disk = SmallDisk.mount(wal(forge), megabytes);
        await cp(aside, wal(forge), { recursive: true });
        await rm(aside, { recursive: true });
        return disk;
      },
      before: nearlyFullSegment,
      atLast: withoutNext,
      free: () => 0,
    },
  ),
  full(
    { name: 'full-log', says: 'the disk of the log file is full for a while', engines: both },
    {
      shell: (root) => `exec 2>>${root}/log/server.log`,
      async mount(forge, lay) {
        await lay();
        await mkdir(join(forge.root, 'log'));
        return SmallDisk.mount(join(forge.root, 'log'), 64);
      },
      free: () => 0,
    },
  ),
];
