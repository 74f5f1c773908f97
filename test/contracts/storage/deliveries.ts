// Contract checks for Deliveries: dead letters of failing handlers, and the bounded backlog of events for a disabled
// plugin.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type EventOf, on } from '#core/kernel/storage/events';
import type { OwnedSubscription, Storage } from '#core/kernel/storage/storage';
import { type Check, gate } from '../checks.ts';
import type {} from './events.ts';

type Counted = EventOf<'contract.counted'>;
/** With `past`, its new subscription asks for past events. */
type Handler = ((event: Counted) => Promise<void>) & { readonly past?: boolean };
export type DeliveryStorage = Pick<Storage, 'unitOfWork' | 'events' | 'deliver' | 'deliveries' | 'drained' | 'close'>;

export interface DeliveriesProvider {
  /**
   * Opens the storage with the data of the previous opening. Retries follow within milliseconds, with three attempts in
   * all. At most three events are kept for a subscription of a disabled plugin.
   */
  open(): Promise<DeliveryStorage>;
}

/** Handlers by plugin and name. */
type Handlers = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

/**
 * Opens the storage, starts delivery, does the work and closes it. A plugin with an empty object is enabled and has no
 * handlers.
 */
async function during(
  { open }: DeliveriesProvider,
  handlers: Handlers,
  work: (storage: DeliveryStorage) => Promise<void>,
): Promise<void> {
  const storage = await open();
  await storage.deliver(
    Object.entries(handlers).flatMap(([plugin, mine]) =>
      Object.entries(mine).map(([name, handle]): OwnedSubscription => ({
        plugin,
        subscription: on('contract.counted', { name, delivery: 'durable', past: handle.past === true, handle }),
      })),
    ),
    Object.keys(handlers),
  );
  try {
    await work(storage);
  } finally {
    await storage.close();
  }
}

const emit = (storage: DeliveryStorage, aggregate: string, n: number): Promise<string> =>
  storage.unitOfWork.run(() =>
    storage.events.emit<'contract.counted'>({ type: 'contract.counted', aggregate, payload: { n } }),
  );

const name = (storage: DeliveryStorage, aggregate: string, text: string): Promise<string> =>
  storage.unitOfWork.run(() =>
    storage.events.emit<'contract.named'>({ type: 'contract.named', aggregate, payload: { name: text } }),
  );

const fresh = () => ({ plugin: `p${randomUUID()}`, aggregate: `contract:${randomUUID()}` });
const failing: Handler = async () => {
  throw new Error('no bell');
};
const nothing = async (): Promise<void> => undefined;
/** A handler that records the events of one aggregate. */
const noting = (aggregate: string) => {
  const seen: number[] = [];
  const handle: Handler = async (event) => {
    if (event.aggregate === aggregate) seen.push(event.payload.n);
  };
  return { seen, handle };
};

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()))
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
}
const parkedFor = async ({ deliveries }: DeliveryStorage, plugin: string) =>
  (await deliveries.parked(1000)).filter((one) => one.plugin === plugin);
const isParked = (storage: DeliveryStorage, plugin: string, count = 1) =>
  until(async () => (await storage.deliveries.parkedCounts()).get(plugin) === count);
const stateOf = async ({ deliveries }: DeliveryStorage, plugin: string) =>
  (await deliveries.subscriptions())
    .filter((one) => one.plugin === plugin)
    .map(({ subscription, waiting, parked, missed }) => ({ subscription, waiting, parked, missed }));

export const deliveriesChecks: readonly Check<DeliveriesProvider>[] = [
  {
    name: 'an error message of any text is stored with the dead letter, replaced and cut where needed',
    async run(provider) {
      const { plugin, aggregate } = fresh();
      const odd = async (): Promise<never> => {
        throw new Error(`no\0bell \ud800${'\u{1f514}'.repeat(400)}`);
      };
      await during(provider, { [plugin]: { odd } }, async (storage) => {
        await emit(storage, aggregate, 1);
        await isParked(storage, plugin);
        const [parked] = await parkedFor(storage, plugin);
        assert.equal(parked?.error, `no bell \ufffd${'\u{1f514}'.repeat(245)}\ufffd`);
      });
    },
  },
  {
    name: 'an event whose handler keeps failing becomes a dead letter with its reason, survives a restart, and is not retried',
    async run(provider) {
      const { plugin, aggregate } = fresh();
      let calls = 0;
      let id = '';
      const handle: Handler = async (event) => {
        calls += 1;
        return failing(event);
      };
      await during(provider, { [plugin]: { ring: handle } }, async (storage) => {
        id = await emit(storage, aggregate, 1);
        await isParked(storage, plugin);
        const [one, ...more] = await parkedFor(storage, plugin);
        assert.deepEqual(more, []);
        assert.ok(one?.parkedAt instanceof Date);
        assert.deepEqual(
          { ...one, parkedAt: undefined },
          {
            plugin,
            subscription: 'ring',
            event: id,
            type: 'contract.counted',
            aggregate,
            attempts: 3,
            parkedAt: undefined,
            error: 'no bell',
          },
        );
      });
      await during(provider, { [plugin]: { ring: handle } }, async (storage) => {
        await storage.drained();
        assert.equal((await parkedFor(storage, plugin))[0]?.event, id);
        assert.deepEqual(await stateOf(storage, plugin), [{ subscription: 'ring', waiting: 0, parked: 1, missed: 0 }]);
      });
      assert.equal(calls, 3);
    },
  },
  {
    name: 'replays one dead letter or all of a plugin, each with all of its attempts again',
    async run(provider) {
      const { plugin, aggregate } = fresh();
      const { seen, handle } = noting(aggregate);
      let well = false;
      let failures = 0;
      const ring: Handler = async (event) => {
        if (well) return await handle(event);
        failures += 1;
        return await failing(event);
      };
      await during(provider, { [plugin]: { ring } }, async (storage) => {
        const first = await emit(storage, aggregate, 1);
        await emit(storage, `${aggregate}:2`, 2);
        await isParked(storage, plugin, 2);
        assert.equal(await storage.deliveries.replay(plugin, randomUUID()), 0);
        assert.equal(await storage.deliveries.replay(plugin, first), 1);
        await isParked(storage, plugin, 2);
        assert.equal(failures, 9, 'three attempts for each event, and three more for the replayed one');
        well = true;
        assert.equal(await storage.deliveries.replay(plugin), 2);
        await storage.drained();
        assert.deepEqual(seen, [1]);
        assert.deepEqual(await parkedFor(storage, plugin), []);
      });
    },
  },
  {
    name: 'drops one dead letter or all of a plugin, and none of another plugin',
    async run(provider) {
      const [{ plugin, aggregate }, other] = [fresh(), fresh()];
      await during(provider, { [plugin]: { ring: failing }, [other.plugin]: { ring: failing } }, async (storage) => {
        const first = await emit(storage, aggregate, 1);
        await emit(storage, `${aggregate}:2`, 2);
        await emit(storage, `${aggregate}:3`, 3);
        await isParked(storage, plugin, 3);
        await isParked(storage, other.plugin, 3);
        assert.equal(await storage.deliveries.drop(plugin, first), 1);
        assert.equal((await parkedFor(storage, plugin)).length, 2);
        assert.equal(await storage.deliveries.drop(plugin), 2);
        assert.deepEqual(await parkedFor(storage, plugin), []);
        assert.equal((await parkedFor(storage, other.plugin)).length, 3);
        await storage.deliveries.drop(other.plugin);
      });
    },
  },
  {
    name: 'events committed while a plugin is disabled are delivered in order when it is enabled again',
    async run(provider) {
      const { plugin, aggregate } = fresh();
      const { seen, handle } = noting(aggregate);
      await during(provider, { [plugin]: { ring: handle } }, async (storage) => {
        await emit(storage, aggregate, 1);
        await storage.drained();
      });
      await during(provider, {}, async (storage) => {
        await emit(storage, aggregate, 2);
        await storage.drained();
      });
      await during(provider, {}, async (storage) => {
        await emit(storage, aggregate, 3);
        await storage.drained();
        assert.deepEqual(await stateOf(storage, plugin), [{ subscription: 'ring', waiting: 2, parked: 0, missed: 0 }]);
      });
      await during(provider, { [plugin]: { ring: handle } }, async (storage) => {
        await storage.drained();
        assert.deepEqual(seen, [1, 2, 3]);
      });
    },
  },
  {
    name: 'while a plugin is disabled the oldest events past the bound are dropped and counted',
    async run(provider) {
      const { plugin, aggregate } = fresh();
      const { seen, handle } = noting(aggregate);
      await during(provider, { [plugin]: { ring: handle } }, async () => undefined);
      await during(provider, {}, async (storage) => {
        for (const n of [1, 2, 3, 4, 5]) await emit(storage, aggregate, n);
        await storage.drained();
      });
      // Events past the bound are dropped at each start.
      await during(provider, {}, (storage) => until(async () => (await stateOf(storage, plugin))[0]?.missed === 2));
      await during(provider, { [plugin]: { ring: handle } }, async (storage) => {
        await storage.drained();
        assert.deepEqual(seen, [3, 4, 5]);
        assert.deepEqual(await stateOf(storage, plugin), [{ subscription: 'ring', waiting: 0, parked: 0, missed: 2 }]);
        await storage.deliveries.drop(plugin);
        assert.equal((await stateOf(storage, plugin))[0]?.missed, 0);
      });
    },
  },
  {
    name: 'the backlog of an enabled plugin is not bounded',
    async run(provider) {
      const { plugin, aggregate } = fresh();
      const { seen, handle } = noting(aggregate);
      const released = gate();
      const ring: Handler = async (event) => {
        await released.passed;
        await handle(event);
      };
      await during(provider, { [plugin]: { ring } }, async (storage) => {
        for (const n of [1, 2, 3, 4, 5, 6]) await emit(storage, aggregate, n);
        released.open();
        await storage.drained();
        assert.deepEqual(seen, [1, 2, 3, 4, 5, 6]);
      });
    },
  },
  {
    name: 'a new subscription receives only events committed after it was added',
    async run(provider) {
      const { plugin, aggregate } = fresh();
      const { seen, handle } = noting(aggregate);
      await during(provider, { [plugin]: {} }, async (storage) => {
        await emit(storage, aggregate, 1);
        await storage.drained();
      });
      await during(provider, { [plugin]: { ring: handle } }, async (storage) => {
        await emit(storage, aggregate, 2);
        await storage.drained();
        assert.deepEqual(seen, [2]);
      });
    },
  },
  {
    name: 'a handler of several types receives their events in one order, and each event once',
    async run({ open }) {
      const { plugin, aggregate } = fresh();
      const seen: unknown[] = [];
      const heard: unknown[] = [];
      const both = (name: string, delivery: 'durable' | 'broadcast', into: unknown[]): OwnedSubscription => ({
        plugin,
        subscription: on(['contract.counted', 'contract.named', 'contract.counted'], {
          name,
          delivery,
          handle: async (event) => {
            if (event.aggregate === aggregate)
              into.push(event.type === 'contract.named' ? event.payload.name : event.payload.n);
          },
        }),
      });
      const storage = await open();
      try {
        await storage.deliver([both('both', 'durable', seen), both('heard', 'broadcast', heard)]);
        for (const n of [1, 2, 3]) {
          await emit(storage, aggregate, n);
          await name(storage, aggregate, `n${n}`);
        }
        await storage.drained();
        assert.deepEqual(seen, [1, 'n1', 2, 'n2', 3, 'n3']);
        await until(async () => heard.length === 6);
        assert.deepEqual(heard, seen);
        const [state] = await storage.deliveries
          .subscriptions()
          .then((all) => all.filter((one) => one.plugin === plugin));
        assert.equal(state?.type, 'contract.counted, contract.named');
      } finally {
        await storage.close();
      }
    },
  },
  {
    name: 'if the types of a handler change, its waiting events of types that stay are kept',
    async run({ open }) {
      const { plugin, aggregate } = fresh();
      const seen: string[] = [];
      type Type = 'contract.counted' | 'contract.named';
      const opened = async (
        types: readonly [Type, ...Type[]] | undefined,
        work: (storage: DeliveryStorage) => Promise<void>,
      ) => {
        const storage = await open();
        const subscription =
          types &&
          on(types, {
            name: 'ring',
            delivery: 'durable',
            handle: async ({ type, aggregate: of }) => void (of === aggregate && seen.push(type)),
          });
        await storage.deliver(subscription === undefined ? [] : [{ plugin, subscription }]);
        try {
          await work(storage);
          await storage.drained();
        } finally {
          await storage.close();
        }
      };
      await opened(['contract.counted', 'contract.named'], async () => undefined);
      await opened(undefined, async (storage) => {
        await emit(storage, aggregate, 1);
        await name(storage, aggregate, 'one');
      });
      await opened(['contract.named'], async (storage) => {
        await emit(storage, aggregate, 2);
      });
      assert.deepEqual(seen, ['contract.named']);
    },
  },
  {
    name: 'a new subscription that asks for the past first receives the newest stored events in order, once',
    async run(provider) {
      const { plugin, aggregate } = fresh();
      const { seen, handle } = noting(aggregate);
      await during(provider, { [plugin]: {} }, async (storage) => {
        for (const n of [1, 2, 3, 4, 5]) await emit(storage, aggregate, n);
        await storage.drained();
      });
      const past: Handlers = { [plugin]: { ring: Object.assign(handle, { past: true }) } };
      await during(provider, past, async (storage) => {
        await emit(storage, aggregate, 6);
        await storage.drained();
        assert.deepEqual(seen, [3, 4, 5, 6], 'three are kept');
      });
      await during(provider, past, async (storage) => {
        await emit(storage, aggregate, 7);
        await storage.drained();
        assert.deepEqual(seen, [3, 4, 5, 6, 7], 'a known subscription does not receive them again');
      });
    },
  },
  {
    name: 'a handler that asks for the past receives that of a type that is added to its list, and no more',
    async run({ open }) {
      const { plugin, aggregate } = fresh();
      const seen: string[] = [];
      type Type = 'contract.counted' | 'contract.named';
      const opened = async (
        types: readonly [Type, ...Type[]],
        work: (storage: DeliveryStorage) => Promise<unknown>,
      ) => {
        const storage = await open();
        const handle = async ({ type, aggregate: of }: { readonly type: string; readonly aggregate: string }) =>
          void (of === aggregate && seen.push(type));
        const subscription = on(types, { name: 'ring', delivery: 'durable', past: true, handle });
        await storage.deliver([{ plugin, subscription }]);
        try {
          await storage.drained();
          await work(storage);
          await storage.drained();
        } finally {
          await storage.close();
        }
      };
      await opened(['contract.counted'], async (storage) => {
        await emit(storage, aggregate, 1);
        await name(storage, aggregate, 'one');
      });
      await opened(['contract.counted', 'contract.named'], (storage) => emit(storage, aggregate, 2));
      assert.deepEqual(seen, ['contract.counted', 'contract.named', 'contract.counted']);
    },
  },
  {
    name: 'past events that were not handled before a stop are delivered after the next start',
    async run(provider) {
      const { plugin, aggregate } = fresh();
      const { seen, handle } = noting(aggregate);
      await during(provider, { [plugin]: {} }, async (storage) => {
        for (const n of [1, 2, 3]) await emit(storage, aggregate, n);
        await storage.drained();
      });
      const held = gate();
      const stuck: Handler = async (event) => {
        if (event.aggregate === aggregate) await held.passed;
        throw new Error('stopped');
      };
      await during(provider, { [plugin]: { ring: Object.assign(stuck, { past: true }) } }, async (storage) => {
        await until(async () => (await stateOf(storage, plugin)).some(({ waiting }) => waiting > 0));
      });
      held.open();
      await during(provider, { [plugin]: { ring: Object.assign(handle, { past: true }) } }, async (storage) => {
        await storage.drained();
        assert.deepEqual(seen, [1, 2, 3]);
      });
    },
  },
  {
    name: 'a subscription that its plugin no longer declares is removed; its dead letters stay until they are dropped',
    async run(provider) {
      const { plugin, aggregate } = fresh();
      const { seen, handle } = noting(aggregate);
      await during(provider, { [plugin]: { ring: failing, chime: handle } }, async (storage) => {
        await emit(storage, aggregate, 1);
        await isParked(storage, plugin);
      });
      await during(provider, {}, async (storage) => {
        await emit(storage, aggregate, 2);
        await storage.drained();
      });
      await during(provider, { [plugin]: {} }, async (storage) => {
        await emit(storage, aggregate, 3);
        await storage.drained();
        assert.deepEqual(await stateOf(storage, plugin), [{ subscription: 'ring', waiting: 0, parked: 1, missed: 0 }]);
        assert.equal(await storage.deliveries.replay(plugin), 0);
        assert.equal((await parkedFor(storage, plugin)).length, 1);
      });
      await during(provider, { [plugin]: { chime: handle } }, async (storage) => {
        await emit(storage, aggregate, 4);
        await storage.drained();
        assert.deepEqual(seen, [1, 4]);
        assert.equal(await storage.deliveries.drop(plugin), 1);
      });
    },
  },
  {
    name: 'a plugin whose handlers never return delays neither the other plugins nor the stop',
    async run(provider) {
      const [{ plugin, aggregate }, other] = [fresh(), fresh()];
      const { seen, handle } = noting(other.aggregate);
      const answered = gate();
      const never = (): Promise<void> => new Promise(() => undefined);
      const ring: Handler = (event) => (event.aggregate.startsWith(aggregate) ? never() : nothing());
      const chime: Handler = async (event) => {
        await handle(event);
        if (seen.length > 0) answered.open();
      };
      await during(provider, { [plugin]: { ring }, [other.plugin]: { chime } }, async (storage) => {
        await storage.unitOfWork.run(async () => {
          for (let n = 0; n < 100; n += 1)
            await storage.events.emit<'contract.counted'>({
              type: 'contract.counted',
              aggregate: `${aggregate}:${n}`,
              payload: { n },
            });
        });
        await emit(storage, other.aggregate, 1);
        await answered.passed;
      });
      assert.deepEqual(seen, [1]);
    },
  },
  {
    name: 'many slow events of one user do not delay the events of another, and those of one aggregate stay in order',
    async run(provider) {
      const { plugin } = fresh();
      const [slow, mallory, ada] = [gate(), randomUUID(), randomUUID()];
      const seen: string[] = [];
      const ended = gate();
      const handle: Handler = async ({ aggregate, actorId, payload: { n } }) => {
        if (actorId === mallory) await slow.passed;
        seen.push(`${aggregate} ${n}`);
        if (actorId === ada && n === 2) ended.open();
      };
      const by = (storage: DeliveryStorage, actorId: string, of: readonly (readonly [string, number])[]) =>
        storage.unitOfWork.run(async () => {
          for (const [aggregate, n] of of)
            await storage.events.emit<'contract.counted'>({
              type: 'contract.counted',
              aggregate,
              actorId,
              payload: { n },
            });
        });
      await during(provider, { [plugin]: { one: handle, two: handle } }, async (storage) => {
        const shared = `contract:${randomUUID()}`;
        const many = Array.from({ length: 300 }, (_, n) => [`contract:${randomUUID()}`, n] as const);
        await by(storage, mallory, [...many, [shared, 1]]);
        const own = `contract:${randomUUID()}`;
        await by(storage, ada, [
          [own, 1],
          [own, 2],
        ]);
        await ended.passed;
        assert.deepEqual(new Set(seen), new Set([`${own} 1`, `${own} 2`]));
        await by(storage, ada, [[shared, 2]]);
        slow.open();
        await storage.drained();
        const ofShared = seen.filter((one) => one.startsWith(shared)).map((one) => one.slice(-1));
        assert.deepEqual(ofShared.toSorted(), ['1', '1', '2', '2']);
        assert.equal(ofShared[0], '1');
        assert.equal(ofShared.at(-1), '2');
        assert.equal(seen.length, 2 * 304);
      });
    },
  },
];
