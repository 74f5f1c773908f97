// The store of links between issues in PostgreSQL.
import { columnsOf, nesting, rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import type { LinkStore } from 'hexforge/issues';
import { LinkTable, type IssuesRows } from '../tables.ts';

const linksOf = (db: Kysely<IssuesRows>, issueId: string) =>
  db
    .selectFrom('issues_link as l')
    .innerJoin('issues_issue as s', 's.id', 'l.source_id')
    .innerJoin('issues_issue as t', 't.id', 'l.target_id')
    .select(columnsOf(LinkTable, 'l'))
    .select(['s.id as source.id', 's.number as source.number', 's.title as source.title', 's.state as source.state'])
    .select(['t.id as target.id', 't.number as target.number', 't.title as target.title', 't.state as target.state'])
    .where((is) => is.or([is('l.source_id', '=', issueId), is('l.target_id', '=', issueId)]))
    .orderBy('l.created_at')
    .orderBy('l.id');
const linkOf = nesting<typeof linksOf>();

export function sqlLinkStore(database: SqlDatabase): LinkStore {
  const db = (): Kysely<IssuesRows> => database.kysely<IssuesRows>();
  return {
    async insert(link) {
      await database.em().insert(LinkTable, link);
    },

    delete: (issueId, id) =>
      db()
        .deleteFrom('issues_link')
        .where('id', '=', id)
        .where((is) => is.or([is('source_id', '=', issueId), is('target_id', '=', issueId)]))
        .returning(columnsOf(LinkTable, 'issues_link'))
        .executeTakeFirst(),

    of: async (issueId) => (await linksOf(db(), issueId).execute()).map(linkOf),

    async blocks(id, otherId) {
      const { rows } = await rawSql<{ readonly blocks: boolean }>`
        with recursive blocked as (
          select l.target_id as id from issues_link l where l.source_id = ${id}::uuid and l.type = 'blocks'
          union
          select l.target_id from blocked b join issues_link l on l.source_id = b.id and l.type = 'blocks'
        )
        select exists (select from blocked where id = ${otherId}::uuid) as blocks
      `.execute(db());
      return rows[0]?.blocks === true;
    },
  } satisfies LinkStore;
}
