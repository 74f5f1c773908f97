// The store of the budgets of groups in PostgreSQL.
import type { BudgetStore } from 'hexforge/limits';
import { rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import { BudgetTable, type LimitRows } from '../tables.ts';

const columns = [
  'group_id as groupId',
  'scope',
  'requests_per_window as requestsPerWindow',
  'window_seconds as windowSeconds',
  'burst',
  'action',
  'enabled',
] as const;

export function sqlBudgetStore(database: SqlDatabase): BudgetStore {
  const db = (): Kysely<LimitRows> => database.kysely();
  return {
    all: () => db().selectFrom('limits_budget').select(columns).execute(),
    async put({ groupId, scope, requestsPerWindow, windowSeconds, burst, action, enabled }) {
      const budget = { groupId, scope, requestsPerWindow, windowSeconds, burst, action, enabled };
      await database.em().upsert(BudgetTable, budget);
    },
    async remove(groupId, scope) {
      return (await database.em().nativeDelete(BudgetTable, { groupId, scope })) > 0;
    },
    async removeGroup(groupId) {
      await database.em().nativeDelete(BudgetTable, { groupId });
    },
    async hold() {
      await rawSql`select pg_advisory_xact_lock(hashtextextended('limits.budgets', 0))`.execute(db());
    },
  } satisfies BudgetStore;
}
