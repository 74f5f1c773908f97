// The store of violations in PostgreSQL.
import type { ViolationStore } from 'hexforge/limits';
import { columnsOf, countOf, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import { ViolationTable, type LimitRows } from '../tables.ts';

const columns = columnsOf(ViolationTable, 'limits_violation');

export function sqlViolationStore(database: SqlDatabase): ViolationStore {
  const db = (): Kysely<LimitRows> => database.kysely();
  const newest = () => db().selectFrom('limits_violation').select(columns).orderBy('at', 'desc').orderBy('id', 'desc');
  return {
    async add(violations) {
      if (violations.length === 0) return;
      await db()
        .insertInto('limits_violation')
        .values(violations.map(({ windowStart, ...violation }) => ({ ...violation, window_start: windowStart })))
        .onConflict((known) => known.columns(['subject', 'scope', 'window_start']).doNothing())
        .execute();
    },
    async list({ limit, offset }) {
      const violations = await newest().limit(limit).offset(offset).execute();
      return { violations, total: await countOf(db().selectFrom('limits_violation')) };
    },
    after: (violation, limit) =>
      newest()
        .$if(violation !== undefined, (all) =>
          all.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('at', 'id'), '<', tuple(violation?.at ?? new Date(0), violation?.id ?? '')),
          ),
        )
        .limit(limit)
        .execute(),
    async prune(before, keep) {
      await db().deleteFrom('limits_violation').where('at', '<', before).execute();
      await db()
        .deleteFrom('limits_violation')
        .where('id', 'in', (all) =>
          all.selectFrom('limits_violation').select('id').orderBy('at', 'desc').orderBy('id', 'desc').offset(keep),
        )
        .execute();
    },
  } satisfies ViolationStore;
}
