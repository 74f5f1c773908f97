// The store of type schemes in PostgreSQL.
import { rawSql, replaceRows, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import type { TypeSchemeStore } from 'hexforge/issues';
import { SchemeTable, type IssuesRows } from '../tables.ts';

export function sqlTypeSchemeStore(database: SqlDatabase): TypeSchemeStore {
  const db = (): Kysely<IssuesRows> => database.kysely<IssuesRows>();
  return {
    typesOf: (repositoryId) =>
      db()
        .selectFrom('issues_type_scheme as s')
        .innerJoin('issues_type as t', 't.id', 's.type_id')
        .select([
          't.id',
          't.name',
          't.display_name as displayName',
          't.description',
          't.color',
          't.icon',
          't.is_subtask as isSubtask',
          't.position',
        ])
        .where('s.repository_id', '=', repositoryId)
        .orderBy('s.position')
        .execute(),
    async replace(repositoryId, typeIds) {
      // The lock makes a concurrent replacement wait. Without it, the later one would not see, and so not delete, the
      // rows of the earlier one.
      await rawSql`select pg_advisory_xact_lock(hashtextextended(${`issues.type_scheme:${repositoryId}`}, 0))`.execute(
        db(),
      );
      await replaceRows(
        database.em(),
        SchemeTable,
        { repositoryId },
        typeIds.map((typeId, position) => ({ typeId, position })),
      );
    },
  } satisfies TypeSchemeStore;
}
