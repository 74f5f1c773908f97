// Checks the disk and database of a stopped forge, and reports every deviation from the expected state.
import { execFile } from 'node:child_process';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { sql, type Kysely } from 'kysely';
import { systemClock, systemIds } from '#adapters/system/time';
import { openPostgres } from '#adapters/postgres/index';
import type { RecordedEvent } from './ledger.ts';

const run = promisify(execFile);

interface PushExpectation {
  readonly repositoryId: string;
  readonly ref: string;
  /** In the order of the pushes. */
  readonly acknowledged: readonly string[];
}

interface Inspection {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** Ids of every repository that clients can see. */
  readonly repositories: readonly string[];
  readonly pushes: readonly PushExpectation[];
}

export async function inspect({ dataDir, databaseUrl, repositories, pushes }: Inspection): Promise<string[]> {
  const faults: string[] = [];
  const root = join(dataDir, 'repositories');
  const directories = (await readdir(root, { recursive: true })).filter((path) =>
    /^[0-9a-f]{2}\/[0-9a-f-]{36}\.git$/.test(path),
  );
  const onDisk = new Set(directories.map((path) => basename(path, '.git')));
  faults.push(...repositories.filter((id) => !onDisk.has(id)).map((id) => `repository ${id} has no directory`));
  faults.push(
    ...[...onDisk].filter((id) => !repositories.includes(id)).map((id) => `directory ${id} belongs to no repository`),
  );
  for (const path of directories) {
    const fsck = await run('git', ['--git-dir', join(root, path), 'fsck', '--full', '--no-dangling']).then(
      () => '',
      (error: Error & { stderr?: string }) => error.stderr ?? error.message,
    );
    if (fsck !== '') faults.push(`git fsck of ${path}: ${fsck}`);
    const left = (await readdir(join(root, path), { recursive: true })).filter((file) =>
      /\.lock$|incoming-|(^|\/)\.?tmp[-_]/.test(file),
    );
    faults.push(...left.map((file) => `${path} keeps ${file}`));
  }
  for (const folder of ['.trash', '.processes']) {
    const left = await readdir(join(root, folder)).catch(() => []);
    faults.push(...left.map((name) => `${folder} keeps ${name}`));
  }
  faults.push(...(await processesAt(dataDir)).map(({ command }) => `a process is left: ${command}`));
  faults.push(
    ...(await withDatabase(dataDir, databaseUrl, async (kysely) => [
      ...(await eventFaults(dataDir, kysely, pushes)),
      ...(await openIntents(kysely)),
    ])),
  );
  return faults;
}

/** Every process that uses a folder: children of git name it only in their environment. */
export async function processesAt(folder: string): Promise<{ readonly pid: number; readonly command: string }[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const read = (file: string): Promise<string> => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
      const [command, environment, directory] = await Promise.all([
        read('cmdline'),
        read('environ'),
        readlink(`/proc/${id}/cwd`).catch(() => ''),
      ]);
      return [command, environment, directory].some((text) => text.includes(folder))
        ? [{ pid: Number(id), command: command.replaceAll('\0', ' ').trim() }]
        : [];
    }),
  );
  return found.flat();
}

/** The part of an audit entry that names the action and its object. */
export interface AuditRow {
  readonly action: string;
  readonly resource: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The events, audit entries and intents in the database of a forge. */
export interface Records {
  readonly events: readonly RecordedEvent[];
  readonly audit: readonly AuditRow[];
  /** Open intents; the subject is the id of a repository. */
  readonly intents: readonly { readonly kind: string; readonly subject: string }[];
}

export async function recordsOf(dataDir: string, databaseUrl: string | undefined): Promise<Records> {
  return withDatabase(dataDir, databaseUrl, async (kysely) => ({
    events: await outbox(kysely),
    audit: (
      await kysely
        .selectFrom('audit_entry')
        .select(['action', 'resource', sql<string>`details::text`.as('details')])
        .execute()
    ).map((row) => ({ ...row, details: JSON.parse(row.details) as AuditRow['details'] })),
    intents: await kysely.selectFrom('hexforge_intent').select(['kind', 'subject']).execute(),
  }));
}

/** The events of the outbox in order, also of a running forge. */
export async function recordedEvents(
  dataDir: string,
  databaseUrl: string | undefined,
): Promise<readonly RecordedEvent[]> {
  return withDatabase(dataDir, databaseUrl, outbox);
}

async function outbox(kysely: Database): Promise<readonly RecordedEvent[]> {
  const rows = await kysely
    .selectFrom('hexforge_event')
    .select(['type', 'at', 'payload'])
    .orderBy('position')
    .execute();
  return rows.map(({ type, at, payload }) => ({
    type,
    at,
    payload: JSON.parse(payload) as RecordedEvent['payload'],
  }));
}

async function openIntents(kysely: Database): Promise<string[]> {
  const rows = await kysely.selectFrom('hexforge_intent').select(['kind', 'subject']).execute();
  return rows.map(({ kind, subject }) => `${kind} of ${subject} was announced and never concluded`);
}

/**
 * Every acknowledged push and the last value of every ref must have an event, and each event starts at the end of the
 * one before.
 */
async function eventFaults(dataDir: string, kysely: Database, pushes: readonly PushExpectation[]): Promise<string[]> {
  const faults: string[] = [];
  const rows = await kysely
    .selectFrom('hexforge_event')
    .select('payload')
    .where('type', '=', 'push')
    .orderBy('position')
    .execute();
  const events = rows.map(
    ({ payload }) => JSON.parse(payload) as { repository_id: string; ref: string; old: string; new: string },
  );
  for (const { repositoryId, ref, acknowledged } of pushes) {
    const moves = events.filter((event) => event.repository_id === repositoryId && event.ref === ref);
    const told = new Set(moves.map((move) => move.new));
    faults.push(
      ...acknowledged
        .filter((oid) => !told.has(oid))
        .map((oid) => `acknowledged push ${oid} of ${repositoryId} has no event`),
    );
    const { stdout } = await run('git', [
      '--git-dir',
      join(dataDir, 'repositories', repositoryId.slice(0, 2), `${repositoryId}.git`),
      'for-each-ref',
      '--format=%(objectname)',
      ref,
    ]);
    if (stdout.trim() !== '' && !told.has(stdout.trim()))
      faults.push(`${ref} of ${repositoryId} stands at ${stdout.trim()}, which no event tells`);
    for (const [index, move] of moves.entries()) {
      const before = moves[index - 1];
      if (before !== undefined && before.new !== move.old)
        faults.push(`${ref} of ${repositoryId}: an event begins at ${move.old}, the one before ended at ${before.new}`);
    }
  }
  return faults;
}

const connect = (dataDir: string, databaseUrl: string | undefined) => {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  return openPostgres({
    ...(databaseUrl === undefined ? {} : { url: databaseUrl }),
    directory: dataDir,
    entities: [],
    clock: systemClock,
    ids: systemIds,
    log: quiet,
  });
};

interface Tables {
  hexforge_event: { position: number; type: string; at: Date; payload: string };
  hexforge_intent: { kind: string; subject: string };
  audit_entry: { action: string; resource: string; details: unknown };
}
type Database = Kysely<Tables>;

/** Opens the database of a forge, which must be stopped if the database is embedded. */
export async function withDatabase<T>(
  dataDir: string,
  databaseUrl: string | undefined,
  work: (kysely: Database) => Promise<T>,
): Promise<T> {
  const storage = await connect(dataDir, databaseUrl);
  try {
    return await work(storage.database.kysely<Tables>());
  } finally {
    await storage.close();
  }
}
