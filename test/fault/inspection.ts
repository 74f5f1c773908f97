// Looks at what a stopped forge left on disk and in its database, and names everything that is not as it was promised.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { openPostgres } from '#adapters/postgres/index';
import { systemClock, systemIds } from '#adapters/memory/index';
import { commandLines } from '#test/support/server-process';
import type { PushExpectation } from './traffic.ts';

const run = promisify(execFile);

export interface Inspection {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** Ids of every repository that clients can see. */
  readonly repositories: readonly string[];
  readonly pushes: readonly PushExpectation[];
}

export async function inspect({ dataDir, databaseUrl, repositories, pushes }: Inspection): Promise<string[]> {
  const faults: string[] = [];
  const root = join(dataDir, 'repositories');
  const directories = (await readdir(root, { recursive: true })).filter((path) => /^[0-9a-f]{2}\/[0-9a-f-]{36}\.git$/.test(path));
  const onDisk = new Set(directories.map((path) => basename(path, '.git')));
  faults.push(...repositories.filter((id) => !onDisk.has(id)).map((id) => `repository ${id} has no directory`));
  faults.push(...[...onDisk].filter((id) => !repositories.includes(id)).map((id) => `directory ${id} belongs to no repository`));
  for (const path of directories) {
    const fsck = await run('git', ['--git-dir', join(root, path), 'fsck', '--full', '--no-dangling']).then(() => '', (error: Error & { stderr?: string }) => error.stderr ?? error.message);
    if (fsck !== '') faults.push(`git fsck of ${path}: ${fsck}`);
    const left = (await readdir(join(root, path), { recursive: true })).filter((file) => /\.lock$|tmp_objdir|incoming-|tmp_pack|tmp_obj_/.test(file));
    faults.push(...left.map((file) => `${path} keeps ${file}`));
  }
  faults.push(...commandLines().filter((command) => command.includes(root) || command.includes('receive-pack')).map((command) => `a process is left: ${command}`));
  faults.push(...await eventFaults(dataDir, databaseUrl, pushes));
  return faults;
}

/** Every acknowledged push, and the value every ref ended at, must be told by an event; each event begins where the one before ended. */
async function eventFaults(dataDir: string, databaseUrl: string | undefined, pushes: readonly PushExpectation[]): Promise<string[]> {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const storage = await openPostgres({ ...databaseUrl === undefined ? {} : { url: databaseUrl }, directory: dataDir, entities: [], clock: systemClock, ids: systemIds, log: quiet });
  try {
    const faults: string[] = [];
    const rows = await storage.database.kysely<{ hexforge_event: { position: number; type: string; payload: string } }>()
      .selectFrom('hexforge_event').select('payload').where('type', '=', 'push').orderBy('position').execute();
    const events = rows.map(({ payload }) => JSON.parse(payload) as { repository_id: string; ref: string; old: string; new: string });
    for (const { repositoryId, ref, acknowledged } of pushes) {
      const moves = events.filter((event) => event.repository_id === repositoryId && event.ref === ref);
      const told = new Set(moves.map((move) => move.new));
      faults.push(...acknowledged.filter((oid) => !told.has(oid)).map((oid) => `acknowledged push ${oid} of ${repositoryId} has no event`));
      const { stdout } = await run('git', ['--git-dir', join(dataDir, 'repositories', repositoryId.slice(0, 2), `${repositoryId}.git`), 'for-each-ref', '--format=%(objectname)', ref]);
      if (stdout.trim() !== '' && !told.has(stdout.trim())) faults.push(`${ref} of ${repositoryId} stands at ${stdout.trim()}, which no event tells`);
      for (const [index, move] of moves.entries()) {
        const before = moves[index - 1];
        if (before !== undefined && before.new !== move.old) faults.push(`${ref} of ${repositoryId}: an event begins at ${move.old}, the one before ended at ${before.new}`);
      }
    }
    return faults;
  } finally {
    await storage.close();
  }
}
