// The contract suites of the stores of rate limits on every engine.
import t from 'tap';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import type { PostgresStorage } from '#adapters/postgres/index';
import { budgetStore } from '#plugins/limits/budgets/store';
import { overrideStore } from '#plugins/limits/overrides/store';
import limits from '#plugins/limits/plugin';
import { limitEntities } from '#plugins/limits/tables';
import { memoryViolationStore } from '#plugins/limits/violations/store-memory';
import { sqlViolationStore } from '#plugins/limits/violations/store';
import { contract, firstFailure, type Made } from '#test/contracts/checks';
import { limitStoreChecks, type LimitStores } from '#test/contracts/stores/limit-stores';
import { eachEngine, quietLog, setOf } from '#test/contracts/storage/storage-engines';

async function onMemory(): Promise<Made<LimitStores>> {
  const storage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const { database, unitOfWork } = storage;
  return {
    provider: {
      budgets: budgetStore.memory(database),
      overrides: overrideStore.memory(database),
      violations: memoryViolationStore(database),
      unitOfWork,
    },
    dispose: () => storage.close(),
  };
}

void t.test('stores of rate limits', (t) =>
  eachEngine(t, async (t, engine, data) => {
    if (engine === 'memory') return contract(t, engine, limitStoreChecks, onMemory);
    const { database, unitOfWork } = (await data.open({
      entities: limitEntities,
      migrations: [setOf(limits)],
    })) as PostgresStorage;
    return contract(t, engine, limitStoreChecks, async () => ({
      provider: {
        budgets: budgetStore.sql(database),
        overrides: overrideStore.sql(database),
        violations: sqlViolationStore(database),
        unitOfWork,
      },
      dispose: async () =>
        void (await database.em().execute('truncate limits_budget, limits_override, limits_violation')),
    }));
  }),
);

void t.test('the contract suite finds mutants', async (t) => {
  const broken = (spoil: (stores: LimitStores) => Partial<LimitStores>) =>
    firstFailure(
      limitStoreChecks,
      async () => {
        const made = await onMemory();
        return { ...made, provider: { ...made.provider, ...spoil(made.provider) } };
      },
      2000,
    );
  t.type(await broken(({ budgets }) => ({ budgets: { ...budgets, put: async () => undefined } })), 'string');
  t.type(await broken(({ overrides }) => ({ overrides: { ...overrides, remove: async () => true } })), 'string');
  t.type(await broken(({ violations }) => ({ violations: { ...violations, prune: async () => undefined } })), 'string');
});
