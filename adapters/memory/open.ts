// Opens the in-memory storage: for tests, and for trying a plugin without a database.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Conflict, Unavailable } from '#core/kernel/errors';
import type { EventOf, EventType } from '#core/kernel/storage/events';
import { FairMutex, KeyedMutex } from '#core/kernel/limits/fair-limiter';
import { intentNotOpen } from '#core/kernel/storage/intent-not-open';
import type { Log } from '#core/kernel/services/log';
import { keptWhileOff, type Storage } from '#core/kernel/storage/storage';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events, Intent, Intents, Locks, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { MemoryDatabase, MemoryTable, TableOptions } from './database.ts';
import { defaultTuning, MemoryDelivery, type DeliveryTuning } from './delivery.ts';
import { memoryDeliveries, memoryPendingEvents } from './subscriptions.ts';
import { commit, Memory, type Row, type WriteSet } from './state.ts';
import { memoryTable, type Transaction } from './table.ts';

export interface MemoryOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** The memory of an earlier opening, to simulate a restart with existing data. Default: an empty one. */
  readonly memory?: Memory;
  /** For tests: the retry behaviour of delivery. */
  readonly tuning?: Partial<DeliveryTuning>;
  /** For tests: how much is kept for a subscription without a running handler. */
  readonly kept?: { readonly events: number; readonly days: number };
  /** The caller key of the current work: locks are shared fairly between callers. Default: the server's own. */
  readonly caller?: (() => string | undefined) | undefined;
}

export interface MemoryStorage extends Storage {
  readonly engine: 'memory';
  readonly database: MemoryDatabase;
}

interface Scope {
  readonly writes: WriteSet;
  readonly events: EventOf[];
  state: 'open' | 'committed' | 'rolled back';
  /** Whether a write was rejected; like a database transaction, it can then only roll back. */
  refused: boolean;
}

interface IntentRow extends Intent {
  readonly owner: string;
}

export function openMemory({
  clock,
  ids,
  log,
  memory = new Memory(),
  tuning,
  kept = keptWhileOff,
  caller,
}: MemoryOptions): MemoryStorage {
  const scopes = new AsyncLocalStorage<Scope>();
  const mutex = new KeyedMutex();
  const delivery = new MemoryDelivery({ log, tuning: { ...defaultTuning, ...tuning }, memory, kept });
  const owner = ids.uuid();
  let closing = false;

  const open = (): Scope | undefined => {
    const scope = scopes.getStore();
    if (scope?.state === 'rolled back') throw new Error('the unit of work of this context was rolled back');
    return scope?.state === 'open' ? scope : undefined;
  };
  const transaction: Transaction = {
    writes: () => open()?.writes,
    refused() {
      const scope = open();
      if (scope !== undefined) scope.refused = true;
    },
  };

  const unitOfWork: UnitOfWork = {
    get active() {
      return scopes.getStore()?.state === 'open';
    },
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (unitOfWork.active)
        throw new Error('a unit of work is already open in this context: units of work do not nest');
      if (closing) throw new Unavailable('The database is closing');
      return mutex.run('unit of work', async () => {
        const scope: Scope = { writes: new Map(), events: [], state: 'open', refused: false };
        memory.open = scope.writes;
        try {
          const result = await scopes.run(scope, work);
          if (scope.refused)
            throw new Error(
              'a statement of this transaction failed and its error was swallowed: nothing of it can be committed',
            );
          commit(scope.writes);
          scope.state = 'committed';
          scopes.exit(() => delivery.publish(scope.events));
          return result;
        } catch (error) {
          if (scope.state === 'open') scope.state = 'rolled back';
          throw error;
        } finally {
          memory.open = undefined;
        }
      });
    },
  };

  const database: MemoryDatabase = {
    // The store that declares a table knows the type of its rows; here they are untyped.
    table: <R extends object>(name: string, options: TableOptions<R>) =>
      memoryTable(
        memory,
        memory.table(name, options as unknown as TableOptions<Row>),
        transaction,
      ) as unknown as MemoryTable<R>,
    publish: (view, rows) => {
      memory.views.set(view, rows);
    },
    published: <R extends object>(view: string) => (memory.views.get(view)?.() ?? []) as readonly R[],
  } satisfies MemoryDatabase;

  const events: Events = {
    async emit<T extends EventType>(event: Omit<EventOf<T>, 'id' | 'at'>): Promise<string> {
      const scope = open();
      if (scope === undefined) throw new Error(`the event "${event.type}" was emitted outside of a unit of work`);
      const id = ids.uuid();
      scope.events.push({ ...event, payload: structuredClone(event.payload), id, at: clock.now() });
      return id;
    },
  };

  const intentTable = database.table<IntentRow>('hexforge_intent', { key: 'id' });
  const intents: Intents = {
    async open<D>({ kind, subject, detail }: Pick<Intent<D>, 'kind' | 'subject' | 'detail'>): Promise<Intent<D>> {
      if (unitOfWork.active)
        throw new Error(
          `the intent "${kind}" was opened inside a unit of work: it must be committed before the change begins`,
        );
      const intent: Intent = { id: ids.uuid(), kind, subject, detail, openedAt: clock.now() };
      intentTable.insert({ ...intent, owner });
      return { ...intent, detail: structuredClone(detail) };
    },
    async close(id) {
      if (!unitOfWork.active) throw new Error('an intent is closed inside the unit of work that records its outcome');
      if (!intentTable.delete(id)) throw new Conflict('The change was concluded already', { detail: `Intent ${id}` });
    },
    async abandoned(kind) {
      return intentTable
        .find({ where: (row) => row.kind === kind && row.owner !== owner })
        .map(({ owner: _owner, ...intent }) => intent);
    },
    async renew(id) {
      if (unitOfWork.active) throw new Error('an intent is renewed outside of units of work: the change is none of it');
      if (intentTable.get(id) === undefined) throw intentNotOpen(id);
    },
    async hold(id) {
      if (!unitOfWork.active) throw new Error('an intent is held inside the unit of work it depends on');
      if (intentTable.get(id) === undefined) throw intentNotOpen(id);
    },
    async stillOpen(ids) {
      if (unitOfWork.active)
        throw new Error('which intents are open is asked outside of units of work: it waits for them');
      return mutex.run(
        'unit of work',
        async () => new Set(intentTable.find({ where: ({ id }) => ids.includes(id) }).map(({ id }) => id)),
      );
    },
  };

  return {
    engine: 'memory',
    unitOfWork,
    events,
    intents,
    database,
    locks: memoryLocks(unitOfWork, caller),
    leads: async () => true,
    pendingEvents: memoryPendingEvents(memory),
    deliveries: memoryDeliveries(memory, () => scopes.exit(() => delivery.resume())),
    deliver: async (subscriptions, plugins) => scopes.exit(() => delivery.start(subscriptions, plugins)),
    drained: () => delivery.drained(),
    endDelivery: () => delivery.close(),
    async check() {
      if (closing) throw new Unavailable('The database is closed');
    },
    async close() {
      if (closing) return;
      await delivery.close();
      closing = true;
      await mutex.run('unit of work', async () => undefined);
    },
  } satisfies MemoryStorage;
}

function memoryLocks(unitOfWork: UnitOfWork, caller: MemoryOptions['caller']): Locks {
  const mutex = new FairMutex(caller);
  const held = new AsyncLocalStorage<ReadonlySet<string>>();
  return {
    async exclusive<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      if (unitOfWork.active)
        throw new Error(`the lock "${name}" was asked for inside a unit of work: take the lock first`);
      const mine = held.getStore() ?? new Set<string>();
      if (mine.has(name)) throw new Error(`the lock "${name}" is held already by the same call`);
      return mutex.run(name, () => held.run(new Set([...mine, name]), work), signal);
    },
  };
}
