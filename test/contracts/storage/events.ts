// Contract checks for Events and their delivery: only committed events, in order per aggregate, at least once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type EventOf, on } from '#core/kernel/storage/events';
import type { RefFilter } from '#core/kernel/storage/pending-events';
import type { OwnedSubscription, Storage } from '#core/kernel/storage/storage';
import { type Check, gate, turn } from '../checks.ts';
import type { Ledger } from './ledger.ts';

declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'contract.counted': { readonly n: number; readonly ref?: string };
    'contract.named': { readonly name: string };
  }
}

type Counted = EventOf<'contract.counted'>;

/** The part of a storage that the checks use. */
export type EventStorage = Pick<
  Storage,
  'unitOfWork' | 'events' | 'pendingEvents' | 'deliver' | 'endDelivery' | 'drained' | 'close'
> &
  Ledger;

export interface EventsProvider {
  /**
   * Returns the open storage, or opens it: empty at first, later with the data of the previous opening. Retries follow
   * within milliseconds, with three attempts in all.
   */
  open(): Promise<EventStorage>;
}

type Handler = (event: Counted) => Promise<void>;
type Place = 'first' | 'second' | 'listener' | 'neighbour';

/**
 * Delivery starts once per opening, with two durable handlers and two listeners. Each check defines what they do with
 * the events of its aggregates.
 */
const places: readonly Place[] = ['first', 'second', 'listener', 'neighbour'];
const delivering = new WeakMap<EventStorage, Map<string, Handler>>();

/** Sets the handlers for the events of one aggregate, and starts delivery if it has not started. */
async function handle(storage: EventStorage, aggregate: string, mine: Partial<Record<Place, Handler>>): Promise<void> {
  const begun = delivering.get(storage);
  const handlers = begun ?? new Map<string, Handler>();
  for (const [place, handler] of Object.entries(mine)) handlers.set(`${place} ${aggregate}`, handler);
  if (begun !== undefined) return;
  delivering.set(storage, handlers);
  await storage.deliver(
    places.map((place): OwnedSubscription => ({
      plugin: 'contract',
      subscription: on('contract.counted', {
        name: place,
        delivery: place === 'first' || place === 'second' ? 'durable' : 'broadcast',
        handle: async (event) => handlers.get(`${place} ${event.aggregate}`)?.(event),
      }),
    })),
  );
}

const emit = (storage: EventStorage, aggregate: string, n: number, ref?: string): Promise<string> =>
  storage.unitOfWork.run(() =>
    storage.events.emit<'contract.counted'>({
      type: 'contract.counted',
      aggregate,
      payload: { n, ...(ref !== undefined && { ref }) },
    }),
  );

/** Records events by aggregate. The checks share the outbox, so each looks only at its own aggregates. */
class Seen {
  readonly events: Counted[] = [];
  #waiting: (() => void)[] = [];

  readonly note = async (event: Counted): Promise<void> => {
    this.events.push(event);
    for (const wake of this.#waiting.splice(0)) wake();
  };

  of(aggregate: string): readonly number[] {
    return this.events.filter((event) => event.aggregate === aggregate).map(({ payload }) => payload.n);
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition())
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
  }
}

const fresh = (): string => `contract:${randomUUID()}`;

export const eventsChecks: readonly Check<EventsProvider>[] = [
  {
    name: 'events committed before delivery started are delivered when it starts',
    async run({ open }) {
      const storage = await open();
      const seen = new Seen();
      const aggregate = fresh();
      await emit(storage, aggregate, 1);
      await emit(storage, aggregate, 2);
      await handle(storage, aggregate, { first: seen.note });
      await storage.drained();
      await seen.until(() => seen.events.length > 1);
      assert.deepEqual(seen.of(aggregate), [1, 2]);
    },
  },
  {
    name: 'emitting outside of a unit of work is refused',
    async run({ open }) {
      const storage = await open();
      await assert.rejects(
        storage.events.emit<'contract.counted'>({ type: 'contract.counted', aggregate: fresh(), payload: { n: 1 } }),
        /outside of a unit of work/,
      );
    },
  },
  {
    name: 'an event arrives unchanged, with the id that emit returned',
    async run({ open }) {
      const storage = await open();
      const seen = new Seen();
      const aggregate = fresh();
      await handle(storage, aggregate, { first: seen.note });
      const payload = { n: 5 };
      const id = await storage.unitOfWork.run(async () => {
        const emitted = await storage.events.emit<'contract.counted'>({
          type: 'contract.counted',
          aggregate,
          actorId: 'someone',
          payload,
        });
        payload.n = 6;
        return emitted;
      });
      await storage.drained();
      const [event, ...more] = seen.events;
      assert.deepEqual(more, []);
      assert.ok(event?.at instanceof Date);
      assert.deepEqual(
        { ...event, at: undefined },
        { id, type: 'contract.counted', aggregate, actorId: 'someone', payload: { n: 5 }, at: undefined },
      );
    },
  },
  {
    name: 'an event of a unit of work that was rolled back never arrives',
    async run({ open }) {
      const storage = await open();
      const seen = new Seen();
      const aggregate = fresh();
      await handle(storage, aggregate, { first: seen.note, listener: seen.note });
      await assert.rejects(
        storage.unitOfWork.run(async () => {
          await storage.events.emit<'contract.counted'>({ type: 'contract.counted', aggregate, payload: { n: 1 } });
          throw new Error('no');
        }),
      );
      await emit(storage, aggregate, 2);
      await storage.drained();
      await seen.until(() => seen.events.length > 1);
      assert.deepEqual(seen.of(aggregate), [2, 2]);
    },
  },
  {
    name: 'events of one aggregate arrive one after the other, in the order of their commits',
    async run({ open }) {
      const storage = await open();
      const seen = new Seen();
      const aggregate = fresh();
      let working = 0;
      await handle(storage, aggregate, {
        first: async (event) => {
          working += 1;
          assert.equal(working, 1);
          if (event.payload.n % 3 === 0) await turn();
          working -= 1;
          await seen.note(event);
        },
      });
      const numbers = Array.from({ length: 12 }, (_, index) => index);
      for (const n of numbers) await emit(storage, aggregate, n);
      await storage.drained();
      assert.deepEqual(seen.of(aggregate), numbers);
    },
  },
  {
    name: 'events of concurrent units of work are delivered in the order of their commits',
    async run({ open }) {
      const storage = await open();
      const seen = new Seen();
      const aggregate = fresh();
      await handle(storage, aggregate, { first: seen.note });
      const id = randomUUID();
      await storage.unitOfWork.run(() => storage.accounts.add({ id, name: aggregate, balance: 0 }));
      await Promise.all(
        Array.from({ length: 15 }, () =>
          storage.unitOfWork.run(async () => {
            const n = ((await storage.accounts.lock(id))?.balance ?? 0) + 1;
            await storage.accounts.setBalance(id, n);
            await storage.events.emit<'contract.counted'>({ type: 'contract.counted', aggregate, payload: { n } });
          }),
        ),
      );
      await storage.drained();
      assert.deepEqual(
        seen.of(aggregate),
        Array.from({ length: 15 }, (_, index) => index + 1),
      );
    },
  },
  {
    name: 'several events of one unit of work arrive in the order they were emitted',
    async run({ open }) {
      const storage = await open();
      const seen = new Seen();
      const aggregate = fresh();
      await handle(storage, aggregate, { first: seen.note });
      await storage.unitOfWork.run(async () => {
        for (const n of [1, 2, 3, 4])
          await storage.events.emit<'contract.counted'>({ type: 'contract.counted', aggregate, payload: { n } });
      });
      await storage.drained();
      assert.deepEqual(seen.of(aggregate), [1, 2, 3, 4]);
    },
  },
  {
    name: 'a handler that fails is called again with the same event, and later events of the aggregate wait for it',
    async run({ open }) {
      const storage = await open();
      const seen = new Seen();
      const attempts: string[] = [];
      const aggregate = fresh();
      await handle(storage, aggregate, {
        first: async (event) => {
          attempts.push(event.id);
          if (attempts.length === 1) throw new Error('not now');
          await seen.note(event);
        },
      });
      const first = await emit(storage, aggregate, 1);
      const second = await emit(storage, aggregate, 2);
      await seen.until(() => seen.events.length === 2);
      assert.deepEqual(seen.of(aggregate), [1, 2]);
      assert.deepEqual(attempts, [first, first, second]);
    },
  },
  {
    name: 'a blocked aggregate or handler does not delay the others',
    async run({ open }) {
      const storage = await open();
      const [seen, steady] = [new Seen(), new Seen()];
      const [stuck, free] = [fresh(), fresh()];
      const released = gate();
      await handle(storage, stuck, {
        second: steady.note,
        first: async (event) => {
          await released.passed;
          await seen.note(event);
        },
      });
      await handle(storage, free, { first: seen.note });
      await emit(storage, stuck, 1);
      await emit(storage, free, 2);
      await seen.until(() => seen.of(free).length > 0);
      await steady.until(() => steady.of(stuck).length > 0);
      assert.deepEqual(seen.of(stuck), []);
      released.open();
      await storage.drained();
      assert.deepEqual(seen.of(stuck), [1]);
    },
  },
  {
    name: 'an event whose handler keeps failing becomes a dead letter after the last attempt, and the next event is delivered',
    async run({ open }) {
      const storage = await open();
      const seen = new Seen();
      const aggregate = fresh();
      let attempts = 0;
      await handle(storage, aggregate, {
        first: async (event) => {
          if (event.payload.n === 1) {
            attempts += 1;
            throw new Error('never');
          }
          await seen.note(event);
        },
      });
      await emit(storage, aggregate, 1);
      await emit(storage, aggregate, 2);
      await seen.until(() => seen.events.length > 0);
      assert.equal(attempts, 3);
      assert.deepEqual(seen.of(aggregate), [2]);
    },
  },
  {
    name: 'events that a handler has not handled yet are read by aggregate, in order, until it has',
    async run({ open }) {
      const storage = await open();
      const [aggregate, other] = [randomUUID(), randomUUID()];
      const handler = { plugin: 'contract', subscription: 'first', types: ['contract.counted'] } as const;
      const pending = async (limit = 9, ...aggregates: readonly string[]) =>
        (await storage.pendingEvents.of(handler, aggregates.length === 0 ? [aggregate] : aggregates, limit)).map(
          ({ payload }) => payload.n,
        );
      const held = gate();
      const begun = gate();
      const seen = new Seen();
      await handle(storage, aggregate, {
        async first(event) {
          begun.open();
          await held.passed;
          await seen.note(event);
        },
      });
      await handle(storage, other, { first: seen.note });
      const ids = [await emit(storage, aggregate, 1), await emit(storage, aggregate, 2)];
      await emit(storage, other, 3);
      await begun.passed;
      await seen.until(() => seen.of(other).length === 1);
      assert.deepEqual(await pending(), [1, 2], 'the one that is being handled too');
      assert.deepEqual(await pending(1), [2], 'the newest');
      const [event] = await storage.pendingEvents.of(handler, [aggregate], 2);
      assert.deepEqual([event?.id, event?.type, event?.aggregate], [ids[0], 'contract.counted', aggregate]);
      assert.deepEqual(await storage.pendingEvents.of(handler, [], 9), []);
      const absent = { ...handler, subscription: 'listener' };
      assert.deepEqual(await storage.pendingEvents.of(absent, [randomUUID()], 9), []);
      held.open();
      await storage.drained();
      assert.deepEqual(await pending(9, aggregate, other), []);
    },
  },
  {
    name: 'of the events about refs that a handler has not handled yet, those of the wanted refs are read first',
    async run({ open }) {
      const storage = await open();
      const aggregate = randomUUID();
      const handler = { plugin: 'contract', subscription: 'first', types: ['contract.counted'] } as const;
      const [held, begun] = [gate(), gate()];
      await handle(storage, aggregate, {
        async first() {
          begun.open();
          await held.passed;
        },
      });
      const odd = 'refs/heads/o"dd\\ü';
      const refs = ['refs/tags/1', 'refs/heads/a', 'refs/heads/b', undefined, odd, 'refs/heads/b', 'refs/tags/2'];
      for (const [n, ref] of refs.entries()) await emit(storage, aggregate, n, ref);
      await begun.passed;
      const pending = async (limit: number, wanted: RefFilter) =>
        (await storage.pendingEvents.of(handler, [aggregate], limit, wanted)).map(({ payload }) => payload.n);
      assert.deepEqual(await pending(9, { refs: [] }), [3], 'events without a ref are always read');
      assert.deepEqual(await pending(9, { refs: ['refs/heads/a', odd] }), [1, 3, 4]);
      assert.deepEqual(await pending(9, { refs: [], under: 'refs/heads/' }), [1, 2, 3, 4, 5]);
      assert.deepEqual(await pending(3, { refs: ['refs/heads/a'], under: 'refs/heads/' }), [1, 3, 5]);
      held.open();
      await storage.drained();
    },
  },
  {
    name: 'a broadcast reaches every listener, also if one of them throws',
    async run({ open }) {
      const storage = await open();
      const seen = new Seen();
      const aggregate = fresh();
      await handle(storage, aggregate, {
        listener: async (event) => {
          await seen.note(event);
          throw new Error('deaf');
        },
        neighbour: seen.note,
      });
      await emit(storage, aggregate, 1);
      await emit(storage, aggregate, 2);
      await seen.until(() => seen.events.length === 4);
      assert.deepEqual([...seen.of(aggregate)].sort(), [1, 1, 2, 2]);
    },
  },
  {
    name: 'a handler may emit in a unit of work, and drained waits for those events too',
    async run({ open }) {
      const storage = await open();
      const seen = new Seen();
      const [cause, effect] = [fresh(), fresh()];
      await handle(storage, cause, {
        first: async ({ payload }) => {
          await turn();
          await emit(storage, effect, payload.n + 1);
        },
      });
      await handle(storage, effect, { first: seen.note });
      await emit(storage, cause, 9);
      await storage.drained();
      assert.deepEqual(seen.of(effect), [10]);
    },
  },
  {
    name: 'events that were not handled before a stop are delivered after the next start',
    async run({ open }) {
      const seen = new Seen();
      const aggregate = fresh();
      const failed = gate();
      const before = await open();
      await handle(before, aggregate, {
        first: async () => {
          failed.open();
          throw new Error('stopping');
        },
      });
      await emit(before, aggregate, 1);
      await failed.passed;
      await before.close();
      const after = await open();
      await handle(after, aggregate, { first: seen.note });
      await seen.until(() => seen.events.length > 0);
      assert.deepEqual(seen.of(aggregate), [1]);
    },
  },
  {
    name: 'after endDelivery no handler is called, and later events are delivered after the next start',
    async run({ open }) {
      const [seen, heard] = [new Seen(), new Seen()];
      const aggregate = fresh();
      const before = await open();
      await handle(before, aggregate, { first: seen.note, listener: heard.note });
      await emit(before, aggregate, 1);
      await seen.until(() => seen.events.length === 1);
      await heard.until(() => heard.events.length === 1);
      await before.endDelivery();
      await emit(before, aggregate, 2);
      await before.drained();
      await turn();
      await before.close();
      assert.deepEqual([seen.of(aggregate), heard.of(aggregate)], [[1], [1]]);
      const after = await open();
      await handle(after, aggregate, { first: seen.note });
      await seen.until(() => seen.events.length > 1);
      assert.deepEqual(seen.of(aggregate), [1, 2]);
    },
  },
];
