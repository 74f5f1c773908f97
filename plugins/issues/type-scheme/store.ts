// The store of type schemes in PostgreSQL.
import { columnsOf, storeOf, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import type { TypeSchemeStore } from 'hexforge/issues';
import { schemeRows, TypeTable, type IssuesRows } from '../tables.ts';

export const schemeWrites = storeOf(
  { schemes: schemeRows },
  ({ schemes }) =>
    ({
      async replace(repositoryId, typeIds) {
        // Without the lock, the later of two concurrent replacements would not see, and so not delete, the rows of the
        // earlier one.
        await schemes.hold({ repositoryId });
        await schemes.replace(
          { repositoryId },
          typeIds.map((typeId, position) => ({ repositoryId, typeId, position })),
        );
      },
    }) satisfies Partial<TypeSchemeStore>,
);

export function sqlTypeSchemeStore(database: SqlDatabase): TypeSchemeStore {
  const db = (): Kysely<IssuesRows> => database.kysely<IssuesRows>();
  return {
    ...schemeWrites.sql(database),
    typesOf: (repositoryId) =>
      db()
        .selectFrom('issues_type_scheme as s')
        .innerJoin('issues_type as t', 't.id', 's.type_id')
        .select(columnsOf(TypeTable, 't'))
        .where('s.repository_id', '=', repositoryId)
        .orderBy('s.position')
        .execute(),
  } satisfies TypeSchemeStore;
}
