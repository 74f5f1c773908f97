// The storage contracts find mutants: each runs against providers with one planted fault, and the checks that must fail
// are listed.
import t from 'tap';
import { Memory, openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
import { Duplicate } from '#core/kernel/errors';
import type { EventOf } from '#core/kernel/storage/events';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import { failures, type Check } from '#test/contracts/checks';
import { eventsChecks, type EventStorage } from '#test/contracts/storage/events';
import { intentsChecks, type IntentStorage } from '#test/contracts/storage/intents';
import { memoryLedger } from '#test/contracts/storage/ledger';
import { locksChecks, type LocksProvider } from '#test/contracts/storage/locks';
import { rateCounterChecks } from '#test/contracts/rate-counter';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { unitOfWorkChecks, type UnitOfWorkProvider } from '#test/contracts/storage/unit-of-work';

/** A correct in-memory storage. */
function sound({ memory = new Memory(), unique = true } = {}) {
  const storage = openMemory({
    clock: systemClock,
    ids: systemIds,
    log: quietLog,
    memory,
    tuning: { attempts: 3, pause: 5 },
  });
  const { unitOfWork, events, pendingEvents, intents, locks } = storage;
  return {
    unitOfWork,
    events,
    pendingEvents,
    intents,
    locks,
    ...memoryLedger(storage.database, { unique }),
    deliver: (subscriptions: readonly OwnedSubscription[]) => storage.deliver(subscriptions),
    endDelivery: () => storage.endDelivery(),
    drained: () => storage.drained(),
    close: () => storage.close(),
  };
}
type Sound = ReturnType<typeof sound>;

/** Planted fault → the checks that must fail (others may too). */
type Breakages<P> = Readonly<Record<string, { readonly make: () => P; readonly noticed: readonly string[] }>>;

function noticing<P>(name: string, checks: readonly Check<P>[], unbroken: () => P, breakages: Breakages<P>): void {
  void t.test(`the contract of ${name} finds each planted fault`, { timeout: 120_000 }, async (t) => {
    const made = (make: () => P) => async () => ({ provider: make(), dispose: async () => undefined });
    t.strictSame(await failures(checks, made(unbroken), 20_000), [], 'the correct provider passes');
    for (const [breakage, { make, noticed }] of Object.entries(breakages)) {
      const named = checks.filter((check) => noticed.includes(check.name));
      t.strictSame((await failures(named, made(make), 250)).toSorted(), noticed.toSorted(), breakage);
    }
  });
}

const discarded = Symbol('discarded');
const brokenRun = (storage: Sound, run: UnitOfWorkProvider['unitOfWork']['run']): Sound => ({
  ...storage,
  unitOfWork: {
    run,
    get active() {
      return storage.unitOfWork.active;
    },
  },
});

noticing<UnitOfWorkProvider>('unit of work', unitOfWorkChecks, sound, {
  'writes are lost': {
    make: () => {
      const storage = sound();
      return brokenRun(storage, async <T>(work: () => Promise<T>) => {
        let value: { readonly of: T } | undefined;
        await storage.unitOfWork
          .run(async () => {
            value = { of: await work() };
            throw discarded;
          })
          .catch((error: unknown) => {
            if (error !== discarded) throw error;
          });
        if (value === undefined) throw new Error('unreachable');
        return value.of;
      });
    },
    noticed: [
      'writes are stored when the promise resolves, and run returns the value of the work',
      'concurrent increments of a locked row lose none',
    ],
  },
  'nothing is rolled back': {
    make: () => {
      const storage = sound();
      return brokenRun(storage, async <T>(work: () => Promise<T>) => {
        const outcome = await storage.unitOfWork.run(() =>
          work().then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          ),
        );
        if ('error' in outcome) throw outcome.error;
        return outcome.value;
      });
    },
    noticed: [
      'a rejection rolls back the rows of every store together, and is rethrown unchanged',
      'a deletion is rolled back too',
      'a name is free again after the unit of work that took it was rolled back',
    ],
  },
  'uniques are ignored': {
    make: () => sound({ unique: false }),
    noticed: [
      'a unique violation is a Duplicate with the name of the constraint, and rolls back the rest',
      'of many concurrent inserts of one name exactly one succeeds',
    ],
  },
  'the constraint is not named': {
    make: () => {
      const storage = sound();
      return brokenRun(storage, (work) =>
        storage.unitOfWork.run(work).catch((error: unknown) => {
          throw error instanceof Duplicate ? new Duplicate('unknown') : error;
        }),
      );
    },
    noticed: ['a unique violation is a Duplicate with the name of the constraint, and rolls back the rest'],
  },
  'nesting is allowed': {
    make: () => {
      const storage = sound();
      return brokenRun(storage, (work) => (storage.unitOfWork.active ? work() : storage.unitOfWork.run(work)));
    },
    noticed: ['a nested unit of work is refused, and the outer one continues'],
  },
  'there is no transaction': {
    make: () => brokenRun(sound(), (work) => work()),
    noticed: [
      'uncommitted rows are not visible to others',
      'concurrent increments of a locked row lose none',
      'active is true only inside a unit of work',
      'work that outlives its rolled-back unit of work cannot write',
    ],
  },
  'swallowed refusals are acknowledged': {
    make: () => {
      const storage = sound();
      return brokenRun(storage, <T>(work: () => Promise<T>) => {
        let value: { readonly of: T } | undefined;
        return storage.unitOfWork
          .run(async () => {
            value = { of: await work() };
            return value.of;
          })
          .catch((error: unknown) => {
            if (value === undefined) throw error;
            return value.of;
          });
      });
    },
    noticed: ['a unit of work that swallowed a Duplicate still rejects'],
  },
});

/** Opens correct storages over one memory, each changed by `change`. The previous one must be closed first. */
const reopening =
  <S extends { close(): Promise<void> }>(change: (storage: Sound) => S) =>
  (): { open(): Promise<S> } => {
    const memory = new Memory();
    let current: S | undefined;
    return {
      async open() {
        if (current !== undefined) return current;
        const broken = change(sound({ memory }));
        const close = broken.close.bind(broken);
        current = {
          ...broken,
          close: async () => {
            current = undefined;
            await close();
          },
        };
        return current;
      },
    };
  };
const handling = (change: (handle: (event: EventOf) => Promise<void>) => (event: EventOf) => Promise<void>) =>
  reopening((storage): EventStorage => ({
    ...storage,
    deliver: (subscriptions) =>
      storage.deliver(
        subscriptions.map(({ plugin, subscription }) => ({
          plugin,
          subscription: { ...subscription, handle: change((event) => subscription.handle(event)) },
        })),
      ),
  }));
const emitting = (change: (storage: Sound, emitted: number) => EventStorage['events']['emit']) =>
  reopening((storage): EventStorage => {
    let emitted = 0;
    return { ...storage, events: { emit: (event) => change(storage, (emitted += 1))(event) } };
  });

noticing(
  'outbox',
  eventsChecks,
  reopening((storage): EventStorage => storage),
  {
    'every third event is lost': {
      make: emitting(
        (storage, emitted) => (event) => (emitted % 3 === 0 ? Promise.resolve('lost') : storage.events.emit(event)),
      ),
      noticed: [
        'events of one aggregate arrive one after the other, in the order of their commits',
        'several events of one unit of work arrive in the order they were emitted',
      ],
    },
    'emit works anywhere': {
      make: emitting(
        (storage) => (event) =>
          storage.unitOfWork.active
            ? storage.events.emit(event)
            : storage.unitOfWork.run(() => storage.events.emit(event)),
      ),
      noticed: ['emitting outside of a unit of work is refused'],
    },
    'emit returns another id': {
      make: emitting((storage) => async (event) => `not ${await storage.events.emit(event)}`),
      noticed: [
        'an event arrives unchanged, with the id that emit returned',
        'a handler that fails is called again with the same event, and later events of the aggregate wait for it',
      ],
    },
    'rolled back events are delivered': {
      make: reopening((storage): EventStorage => {
        let handlers: readonly OwnedSubscription[] = [];
        return {
          ...storage,
          deliver: (subscriptions) => {
            handlers = subscriptions;
            return storage.deliver(subscriptions);
          },
          events: {
            async emit(event) {
              const id = await storage.events.emit(event);
              for (const { subscription } of handlers)
                if (subscription.type === event.type)
                  await subscription.handle({ ...event, id, at: new Date() } as EventOf);
              return id;
            },
          },
        };
      }),
      noticed: ['an event of a unit of work that was rolled back never arrives'],
    },
    'events overtake each other': {
      make: handling((handle) => async (event) => {
        if ((event as EventOf<'contract.counted'>).payload.n % 2 === 0)
          setImmediate(() => {
            void handle(event).catch(() => undefined);
          });
        else await handle(event);
      }),
      noticed: [
        'events of one aggregate arrive one after the other, in the order of their commits',
        'several events of one unit of work arrive in the order they were emitted',
      ],
    },
    'a failed handler is not called again': {
      make: handling((handle) => (event) => handle(event).catch(() => undefined)),
      noticed: [
        'a handler that fails is called again with the same event, and later events of the aggregate wait for it',
        'an event whose handler keeps failing becomes a dead letter after the last attempt, and the next event is delivered',
      ],
    },
    'a second handler waits for the first': {
      make: reopening((storage): EventStorage => {
        let queue = Promise.resolve();
        return {
          ...storage,
          deliver: (subscriptions) =>
            storage.deliver(
              subscriptions.map(({ plugin, subscription }) => ({
                plugin,
                subscription: {
                  ...subscription,
                  handle: (event: EventOf) => {
                    const mine = queue.then(() => subscription.handle(event));
                    queue = mine.catch(() => undefined);
                    return mine;
                  },
                },
              })),
            ),
        };
      }),
      noticed: ['a blocked aggregate or handler does not delay the others'],
    },
    'the event that is being handled is not pending': {
      make: reopening((storage): EventStorage => ({
        ...storage,
        pendingEvents: {
          of: async (handler, aggregates, limit, refs) =>
            (await storage.pendingEvents.of(handler, aggregates, limit, refs)).slice(1),
        },
      })),
      noticed: [
        'events that a handler has not handled yet are read by aggregate, in order, until it has',
        'of the events about refs that a handler has not handled yet, those of the wanted refs are read first',
      ],
    },
    'nothing is broadcast': {
      make: reopening((storage): EventStorage => ({
        ...storage,
        deliver: (subscriptions) =>
          storage.deliver(subscriptions.filter(({ subscription }) => subscription.delivery === 'durable')),
      })),
      noticed: ['a broadcast reaches every listener, also if one of them throws'],
    },
    'what was not delivered is forgotten': {
      make: () => {
        let current: EventStorage | undefined;
        return {
          open: async () =>
            (current ??= {
              ...sound(),
              close: async () => {
                current = undefined;
              },
            }),
        };
      },
      noticed: ['events that were not handled before a stop are delivered after the next start'],
    },
    'delivery does not end': {
      make: reopening((storage): EventStorage => ({ ...storage, endDelivery: async () => undefined })),
      noticed: ['after endDelivery no handler is called, and later events are delivered after the next start'],
    },
    'drained does not wait': {
      make: reopening((storage): EventStorage => ({ ...storage, drained: async () => undefined })),
      noticed: [
        'events of one aggregate arrive one after the other, in the order of their commits',
        'a handler may emit in a unit of work, and drained waits for those events too',
      ],
    },
  },
);

const intentful = (change: (storage: Sound) => Partial<IntentStorage['intents']>) =>
  reopening((storage): IntentStorage => ({
    unitOfWork: storage.unitOfWork,
    close: storage.close,
    intents: { ...storage.intents, ...change(storage) },
  }));

noticing(
  'intent log',
  intentsChecks,
  reopening((storage): IntentStorage => storage),
  {
    'nothing is ever found': {
      make: intentful(() => ({ abandoned: async () => [] })),
      noticed: [
        'abandoned returns the intents of ended processes of one kind, oldest first and unchanged',
        'a rollback undoes the closing of an intent',
      ],
    },
    'the newest comes first': {
      make: intentful(({ intents }) => ({ abandoned: async (kind) => [...(await intents.abandoned(kind))].reverse() })),
      noticed: ['abandoned returns the intents of ended processes of one kind, oldest first and unchanged'],
    },
    'the detail is lost': {
      make: intentful(({ intents }) => ({
        open: (intent) => intents.open({ ...intent, detail: {} as typeof intent.detail }),
      })),
      noticed: ['an open intent counts as in progress while its process lives'],
    },
    'a living process is taken for dead': {
      make: intentful(({ intents }) => {
        const opened: Awaited<ReturnType<typeof intents.open>>[] = [];
        return {
          open: async (intent) => {
            const one = await intents.open(intent);
            opened.push(one);
            return one;
          },
          abandoned: async (kind) => opened.filter((one) => one.kind === kind),
        };
      }),
      noticed: ['an open intent counts as in progress while its process lives'],
    },
    'closing does nothing': {
      make: intentful(() => ({ close: async () => undefined })),
      noticed: [
        'a closed intent is never returned as abandoned',
        'an abandoned intent can be concluded by another process, once',
        'opening inside a unit of work and closing outside one are refused',
      ],
    },
    'opening joins the unit of work': {
      make: intentful(({ intents, unitOfWork }) => ({
        open: (intent) =>
          unitOfWork.active ? Promise.resolve({ ...intent, id: 'x', openedAt: new Date() }) : intents.open(intent),
      })),
      noticed: ['opening inside a unit of work and closing outside one are refused'],
    },
  },
);

const locked = (change: (storage: Sound) => LocksProvider['locks']['exclusive']) => (): LocksProvider => {
  const storage = sound();
  return { ...storage, locks: { exclusive: change(storage) } };
};

noticing<LocksProvider>('lock', locksChecks, sound, {
  'nobody is kept out': {
    make: locked(() => (_name, work) => work()),
    noticed: [
      'twenty calls under one name never overlap, and each gets its value',
      'an aborted waiter does not get the lock, and the waiters behind it get it one at a time',
      'taking a lock inside a unit of work, or the same lock twice in one call, is refused',
    ],
  },
  'the signal is not heard': {
    make: locked(
      ({ locks }) =>
        (name, work) =>
          locks.exclusive(name, work),
    ),
    noticed: ['an aborted waiter does not get the lock, and the waiters behind it get it one at a time'],
  },
  'all names are one': {
    make: locked(
      ({ locks }) =>
        (_name, work, signal) =>
          locks.exclusive('the only one', work, signal),
    ),
    noticed: [
      'different names do not wait for each other',
      'holding more locks than there are connections leaves connections for units of work',
    ],
  },
  'an error keeps the lock': {
    make: locked(
      ({ locks }) =>
        (name, work, signal) =>
          new Promise((resolve, reject) => {
            locks
              .exclusive(
                name,
                () =>
                  work().catch((error: unknown) => {
                    reject(error as Error);
                    return new Promise<never>(() => undefined);
                  }),
                signal,
              )
              .then(resolve, reject);
          }),
    ),
    noticed: ['an error is rethrown and releases the lock'],
  },
});

const counting =
  (change: (counter: ReturnType<typeof memoryRateCounter>) => Partial<ReturnType<typeof memoryRateCounter>>) => () => {
    const counter = memoryRateCounter();
    return { ...counter, ...change(counter) };
  };

noticing('rate counter', rateCounterChecks, memoryRateCounter, {
  'nothing is refused': {
    make: counting((counter) => ({
      take: async (...asked) => ({ ...(await counter.take(...asked)), exceeded: false }),
    })),
    noticed: [
      'a fixed window grants its units and refuses more until it ends',
      'of many concurrent takes exactly the budget is granted',
    ],
  },
  'windows never roll': {
    make: counting((counter) => ({
      take: (key, budget, ...rest) => counter.take(key, { ...budget, window: 'fixed' }, ...rest),
    })),
    noticed: ['a rolling window frees a unit when it is one window old'],
  },
  'peeking takes': {
    make: counting((counter) => ({ peek: (key, budget, now) => counter.take(key, budget, now) })),
    noticed: ['peek takes nothing and returns the current state of the budget'],
  },
  'units are not counted': {
    make: counting((counter) => ({ take: (key, budget, now) => counter.take(key, budget, now) })),
    noticed: ['a refused take uses no units'],
  },
  'clearing does nothing': {
    make: counting(() => ({ clear: async () => undefined })),
    noticed: ['clear resets the budget of its key and of no other'],
  },
  'all keys are one': {
    make: counting((counter) => ({
      take: (_key, ...rest) => counter.take('one', ...rest),
      clear: () => counter.clear('one'),
      peek: (_key, ...rest) => counter.peek('one', ...rest),
    })),
    noticed: ['clear resets the budget of its key and of no other'],
  },
});
