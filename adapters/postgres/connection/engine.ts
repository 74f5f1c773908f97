// The two database engines behind one driver: a PostgreSQL server, and the embedded PGlite in its worker thread.
import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Log } from '#core/kernel/services/log';
import { embeddedDialect } from '../embedded/dialect.ts';
import { notOpened, startDatabase, type StartedDatabase } from '../embedded/started.ts';
import type { DatabaseThread } from '../embedded/thread.ts';
import { StorageRefused } from '../statements/errors.ts';
import { createOrm, type Orm } from './orm.ts';
import { preparedStatements } from '../statements/prepared-statements.ts';
import { limitingReads } from '../statements/read-limit.ts';
import {
  addressOf,
  checkServer,
  connectionPatience,
  type NativePool,
  type PoolClient,
  poolOptions,
  replyPatience,
  type TimeLimits,
  workers,
} from './server.ts';
import { Session } from './session.ts';
import { sendingAlone } from '../statements/single-statement.ts';
import { givingUpStalled } from '../statements/stalled-connections.ts';
import { ConnectionSlots, type SlotsOptions } from './connection-slots.ts';

/** The parts that differ between the engines. */
export interface Engine {
  readonly name: 'embedded' | 'postgresql';
  readonly orm: Orm;
  /** The server's features that processes share, such as advisory locks; undefined on the embedded database. */
  readonly session: Session | undefined;
  syncs(): Promise<number | undefined>;
  /** Whether writes are rejected because the disk is full. */
  full(): boolean;
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly directory: string;
  readonly entities: readonly object[];
  readonly log: Log;
  /** As in `PostgresOptions`. */
  readonly caller?: SlotsOptions['caller'];
  /** As in `PostgresOptions`. */
  readonly started?: Promise<StartedDatabase> | undefined;
  /** Time limit of one statement of a migration on a server, in milliseconds. Default: no limit. */
  readonly migrationLimit?: number;
}

/** @throws {StorageRefused} */
export async function openServer(
  { entities, log, caller, migrationLimit }: EngineOptions,
  url: string,
  limits: TimeLimits,
): Promise<Engine> {
  const { deadline } = limits;
  addressOf(url);
  const turns = new ConnectionSlots({
    connections: workers.all,
    share: workers.caller,
    timeLimit: connectionPatience,
    caller,
  });
  const orm = createOrm({ entities, driverOptions: poolOptions(url, limits), turns });
  try {
    await orm.connect();
    const pool: NativePool = await (orm.em.getConnection() as PostgreSqlConnection).getNativeClient();
    const prepares = preparedStatements();
    const limitsReads = limitingReads(deadline);
    const givesUp = givingUpStalled(replyPatience(deadline), migrationLimit);
    const prepare = (client: PoolClient): void => {
      limitsReads(client);
      givesUp(client);
      prepares(client);
      sendingAlone(client);
    };
    pool.on('connect', prepare);
    await checkServer(pool, url);
    // The connection that already exists.
    const first = await pool.connect();
    prepare(first as unknown as PoolClient);
    first.release();
    const session = new Session(pool, log);
    return {
      name: 'postgresql',
      orm,
      session,
      syncs: async () => undefined,
      full: () => false,
      async close() {
        await session.close();
        await orm.close();
      },
    };
  } catch (error) {
    await orm.close();
    throw error;
  }
}

/** @throws {StorageRefused} */
export async function openEmbedded(
  { directory, entities, log, caller, started = startDatabase(directory, log) }: EngineOptions,
  deadline: number,
): Promise<Engine> {
  const { path, supervised, unlock } = await started;
  try {
    // A unit of work may keep the connection for as long as its deadline allows.
    const turns = new ConnectionSlots({ connections: 1, share: 1, timeLimit: deadline * 2, caller });
    const orm = createOrm({ entities, driverOptions: embeddedDialect(supervised), turns });
    await orm.connect();
    await assertDurable(orm, supervised.thread, path);
    supervised.supervise();
    return {
      name: 'embedded',
      orm,
      session: undefined,
      syncs: () => supervised.thread.syncs(),
      full: () => supervised.full,
      async close() {
        await orm.close();
        unlock();
      },
    };
  } catch (error) {
    await supervised.close();
    unlock();
    throw notOpened(path, error);
  }
}

/** Refuses a database without real fsync: it would lose acknowledged writes when the power fails. */
async function assertDurable(orm: Orm, thread: DatabaseThread, path: string): Promise<void> {
  const {
    rows: [row],
  } = await sql<{ fsync: string; commit: string; method: string }>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit, current_setting('wal_sync_method') as method`.execute(
    orm.em.getConnection().getClient(),
  );
  if (row?.fsync === 'on' && row.commit === 'on' && row.method === 'fsync' && (await thread.syncs()) > 0) return;
  throw new StorageRefused(
    `The database in "${path}" does not force its writes to the disk`,
    'Reinstall Hexforge with the exact versions of its lock file',
  );
}
