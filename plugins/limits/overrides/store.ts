// The store of overrides in PostgreSQL.
import type { OverrideStore } from 'hexforge/limits';
import { countOf, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import { OverrideTable, type LimitRows } from '../tables.ts';

const columns = [
  'kind',
  'target_id as targetId',
  'scope',
  'requests_per_window as requestsPerWindow',
  'window_seconds as windowSeconds',
  'burst',
  'action',
  'enabled',
  'reason',
  'updated_at as updatedAt',
] as const;

export function sqlOverrideStore(database: SqlDatabase): OverrideStore {
  const overrides = () => (database.kysely() as Kysely<LimitRows>).selectFrom('limits_override');
  return {
    all: () => overrides().select(columns).execute(),
    async list(kind, { limit, offset }) {
      const ofKind = overrides().where('kind', '=', kind);
      const found = await ofKind
        .select(columns)
        .orderBy('updated_at', 'desc')
        .orderBy('target_id')
        .orderBy('scope')
        .limit(limit)
        .offset(offset)
        .execute();
      return { overrides: found, total: await countOf(ofKind) };
    },
    get: ({ kind, targetId, scope }) =>
      overrides()
        .select(columns)
        .where('kind', '=', kind)
        .where('target_id', '=', targetId)
        .where('scope', '=', scope)
        .executeTakeFirst(),
    count: () => countOf(overrides()),
    async put(override) {
      await database.em().upsert(OverrideTable, { ...override });
    },
    async remove({ kind, targetId, scope }) {
      return (await database.em().nativeDelete(OverrideTable, { kind, targetId, scope })) > 0;
    },
    async removeTargets(kind, targetIds) {
      await database.em().nativeDelete(OverrideTable, { kind, targetId: { $in: [...targetIds] } });
    },
  } satisfies OverrideStore;
}
