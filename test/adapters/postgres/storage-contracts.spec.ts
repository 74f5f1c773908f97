// The storage contract suites on every selected engine.
import t from 'tap';
import { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import { contract } from '#test/contracts/checks';
import { eventsChecks } from '#test/contracts/storage/events';
import { intentsChecks } from '#test/contracts/storage/intents';
import { ledgerEntities, ledgerMigrations, ledgerOf } from '#test/contracts/storage/ledger';
import { locksChecks } from '#test/contracts/storage/locks';
import { rateCounterChecks } from '#test/contracts/rate-counter';
import { eachEngine, type EngineOptions, type TestData } from '#test/contracts/storage/storage-engines';
import { unitOfWorkChecks } from '#test/contracts/storage/unit-of-work';

const options: EngineOptions = {
  entities: ledgerEntities,
  migrations: ledgerMigrations,
  tuning: { attempts: 3, pause: 5 },
};

/** One open storage until a check closes it; then the next check opens the same data again. */
function openings(data: TestData) {
  const opened = async () => {
    const storage = await data.open(options);
    const { unitOfWork, events, pendingEvents, intents, locks } = storage;
    return {
      unitOfWork,
      events,
      pendingEvents,
      intents,
      locks,
      ...ledgerOf(storage),
      deliver: (subscriptions: readonly OwnedSubscription[]) => storage.deliver(subscriptions),
      endDelivery: () => storage.endDelivery(),
      drained: () => storage.drained(),
      close: () => {
        current = undefined;
        return storage.close();
      },
    };
  };
  let current: ReturnType<typeof opened> | undefined;
  return () => (current ??= opened());
}

void t.test('storage contracts', { timeout: 120_000 }, (t) =>
  eachEngine(t, async (subtest, _engine, data) => {
    const open = openings(data);
    const made =
      <P>(provider: P) =>
      async () => ({ provider, dispose: async () => undefined });
    await contract(subtest, 'events', eventsChecks, made({ open }));
    await contract(subtest, 'intents', intentsChecks, made({ open }));
    await contract(subtest, 'unit of work', unitOfWorkChecks, made(await open()));
    await contract(subtest, 'locks', locksChecks, made(await open()));
  }),
);

void t.test('rate counter in memory', async (t) => {
  const counter = memoryRateCounter();
  await contract(t, 'rate counter', rateCounterChecks, async () => ({
    provider: counter,
    dispose: async () => undefined,
  }));
});
