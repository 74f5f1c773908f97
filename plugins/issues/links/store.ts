// The store of links between issues in PostgreSQL.
import { rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import type { LinkStore } from 'hexforge/issues';
import { LinkTable, type IssuesRows } from '../tables.ts';

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
        .returning(['id', 'source_id as sourceId', 'target_id as targetId', 'type', 'created_at as createdAt'])
        .executeTakeFirst(),

    async of(issueId) {
      const rows = await db()
        .selectFrom('issues_link as l')
        .innerJoin('issues_issue as s', 's.id', 'l.source_id')
        .innerJoin('issues_issue as t', 't.id', 'l.target_id')
        .select(['l.id', 'l.source_id', 'l.target_id', 'l.type', 'l.created_at'])
        .select(['s.number as source_number', 's.title as source_title', 's.state as source_state'])
        .select(['t.number as target_number', 't.title as target_title', 't.state as target_state'])
        .where((is) => is.or([is('l.source_id', '=', issueId), is('l.target_id', '=', issueId)]))
        .orderBy('l.created_at')
        .orderBy('l.id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        sourceId: row.source_id,
        targetId: row.target_id,
        type: row.type,
        createdAt: row.created_at,
        source: { id: row.source_id, number: row.source_number, title: row.source_title, state: row.source_state },
        target: { id: row.target_id, number: row.target_number, title: row.target_title, state: row.target_state },
      }));
    },

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
