// Opens the SQL storage and wires its parts: transactions, outbox, delivery, intents, locks, migrations.
import { sql } from 'kysely';
import { Unavailable } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import type { OwnedSubscription, Storage } from '#core/kernel/storage/storage';
import type { Clock, Ids } from '#core/kernel/time';
import { pendingEvents } from './events/pending.ts';
import { Broadcast } from './events/broadcast.ts';
import type { SqlDatabase } from './statements/database.ts';
import { EventOwners } from './events/event-owners.ts';
import { defaultTuning, Delivery, type DeliveryTuning } from './events/delivery.ts';
import type { StartedDatabase } from './embedded/started.ts';
import { type Engine, openEmbedded, openServer } from './connection/engine.ts';
import { SqlIntents } from './transactions/intents.ts';
import { leaderElection } from './transactions/leader-election.ts';
import { advisoryLock, locks, noProcessLock } from './transactions/locks.ts';
import { limited } from './statements/limited.ts';
import type { MigrationSet } from './migrations/migration-records.ts';
import { type MigrationOutcome, Migrations } from './migrations/migrations.ts';
import { channel, eventsArrived, outbox, writeEvents } from './events/outbox.ts';
import { thisProcess } from './transactions/process-identity.ts';
import { Purge } from './migrations/purge.ts';
import type { SystemTables } from './statements/schema.ts';
import { Subscriptions } from './events/subscriptions.ts';
import { Transactions } from './transactions/unit-of-work.ts';

export interface PostgresOptions {
  /** DATABASE_URL; if absent, the embedded database in `directory` is used. */
  readonly url?: string | undefined;
  /** The data directory; the embedded database is its folder `database`. */
  readonly directory: string;
  /** The embedded database, if it was started already. */
  readonly started?: Promise<StartedDatabase> | undefined;
  /** `defineEntity` schemas of every plugin. */
  readonly entities: readonly object[];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /**
   * Returns the caller key of the current work (`CurrentCaller`): callers share connections and locks fairly. Default:
   * the server's own.
   */
  readonly caller?: (() => string | undefined) | undefined;
  /** For tests: the retry behaviour of delivery. */
  readonly tuning?: Partial<DeliveryTuning>;
  /** Time limit of one statement of a migration on a server, in milliseconds. Default: no limit. */
  readonly migrationLimit?: number;
  /** For tests: how much is kept for a subscription without a running handler. */
  readonly kept?: { readonly events: number; readonly days: number };
  /** The time limit of a unit of work, in milliseconds. Default 30,000. */
  readonly deadline?: number;
  /** Time limit of one statement outside of units of work on a server, in milliseconds. Default 10,000. */
  readonly readLimit?: number;
}

export interface PostgresStorage extends Storage {
  readonly engine: 'embedded' | 'postgresql';
  readonly database: SqlDatabase;
  /**
   * Applies missing migrations under an advisory lock, the system's own first, and returns the outcome for each plugin.
   * Until then only `locks` and `check` work. @throws {StorageRefused} if no migrations can be applied.
   */
  migrate(sets: readonly MigrationSet[]): Promise<readonly MigrationOutcome[]>;
  /** The migrations that `migrate` would apply. @throws {StorageRefused} */
  pending(sets: readonly MigrationSet[]): Promise<readonly MigrationOutcome[]>;
  /** Lists and removes the data of plugins. */
  readonly purge: Pick<Purge, 'plugins' | 'remains' | 'purge'>;
  /** `syncs`: fsync system calls of the embedded database; undefined on a server. */
  statistics(): Promise<{ readonly syncs: number | undefined }>;
}

/**
 * Time limit of a search for due events on a server, in milliseconds. The embedded database cannot end a statement
 * early.
 */
const searchLimit = 2000;
/** Time limits in milliseconds: of `check` for an answer, of `close` for open units of work, of broadcast listeners. */
const timeLimit = { check: 5000, close: 10_000, broadcast: 1000 } as const;

/** @throws {StorageRefused} with one sentence and its remedy. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStorage> {
  const { deadline = 30_000, readLimit = 10_000 } = options;
  const engine =
    options.url === undefined
      ? await openEmbedded(options, deadline)
      : await openServer(options, options.url, { deadline, readLimit });
  return assembled(options, engine, deadline);
}

function assembled(
  { clock, ids, log, caller, tuning, kept }: PostgresOptions,
  engine: Engine,
  deadline: number,
): PostgresStorage {
  const { session } = engine;
  const owners = new EventOwners(caller);
  let [ended, closed]: (Promise<void> | undefined)[] = [];
  const transactions: Transactions = new Transactions({
    orm: engine.orm,
    deadline,
    outbox: {
      write: (transaction, events) => writeEvents(transaction, events, { engine: engine.name, owners }),
      committed(events) {
        if (events.length === 0) return;
        // On a server, the notification also reaches this process, as every other.
        if (session === undefined) transactions.outside(() => broadcast.announce(events));
        delivery.wake();
      },
      arrived: eventsArrived,
    },
  });
  const tables = () => transactions.kysely<SystemTables>();
  const lock = locks(transactions, session === undefined ? noProcessLock : advisoryLock(session), caller);
  const migrations = new Migrations(tables, lock, log);
  const intents = new SqlIntents({
    transactions,
    clock,
    ids,
    log,
    ...(session === undefined ? {} : { identity: thisProcess() }),
  });
  const broadcast = new Broadcast(tables, log);
  const leads = session === undefined ? async () => true : leaderElection(session, 'hexforge.delivery');
  const subscriptions = new Subscriptions({
    database: tables,
    wake: () => delivery.wake(),
    ...(kept === undefined ? {} : { kept }),
  });
  const delivery: Delivery = new Delivery({
    database: tables,
    subscriptions,
    log,
    tuning: { ...defaultTuning, ...tuning },
    leads,
    owners,
    ...(session !== undefined && { searchLimit }),
  });

  return {
    engine: engine.name,
    database: transactions,
    unitOfWork: transactions,
    events: outbox({ clock, ids, record: (event) => transactions.record(event) }),
    intents,
    locks: lock,
    leads,
    deliveries: subscriptions,
    pendingEvents: pendingEvents(tables),
    migrate: (sets) => migrations.migrate(sets),
    pending: (sets) => migrations.pending(sets),
    // One of the servers on a database is always the leader.
    purge: new Purge({ database: tables, locks: lock, alone: leads }),
    statistics: async () => ({ syncs: await engine.syncs() }),

    async deliver(owned: readonly OwnedSubscription[], plugins: readonly string[] = owned.map(({ plugin }) => plugin)) {
      await transactions.outside(async () => {
        const durable = owned.filter(({ subscription }) => subscription.delivery === 'durable');
        await subscriptions.remember(durable, plugins);
        await broadcast.start(owned.filter(({ subscription }) => subscription.delivery === 'broadcast'));
        delivery.start(durable);
        await session?.listen(
          channel,
          (notice) => {
            const [type = '', id = ''] = notice.split(' ');
            broadcast.hear(type, id);
            delivery.wake();
          },
          () => {
            broadcast.catchUp();
            delivery.wake();
          },
        );
      });
    },

    async drained() {
      await delivery.drained();
      await broadcast.idle();
    },
    endDelivery,

    async check() {
      await limited(timeLimit.check, sql`select 1`.execute(tables()), () => {
        throw new Unavailable('The database does not answer', {
          detail: `Nothing came within ${timeLimit.check / 1000} s`,
        });
      });
      return engine.full() ? 'The disk that holds the database is full: it takes no writes' : undefined;
    },

    close() {
      closed ??= close();
      return closed;
    },
  } satisfies PostgresStorage;

  function endDelivery(): Promise<void> {
    ended ??= (async () => {
      broadcast.end();
      await Promise.all([delivery.close(), limited(timeLimit.broadcast, broadcast.idle())]);
    })();
    return ended;
  }

  async function close(): Promise<void> {
    await endDelivery();
    await limited(timeLimit.close, transactions.close());
    await intents.release();
    transactions.shut();
    await engine.close();
  }
}
