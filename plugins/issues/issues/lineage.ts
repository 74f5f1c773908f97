// Queries of the issue hierarchy in PostgreSQL. The depth is bounded by the rules of core, and again in the queries.
import { type Kysely, rawSql } from 'hexforge/plugin';
import { deepest, type IssueStore } from 'hexforge/issues';
import type { IssuesRows } from '../tables.ts';

export const sqlLineage = (db: () => Kysely<IssuesRows>): Pick<IssueStore, 'lineage' | 'height' | 'childTypes'> => ({
  async lineage(repositoryId, which) {
    const row = await db()
      .selectFrom('issues_issue as i')
      .innerJoin('issues_type as t', 't.id', 'i.type_id')
      .select(['i.id', 't.name', 't.is_subtask'])
      .select(
        rawSql<readonly string[]>`array(
          with recursive up as (
            select i.parent_id as id, 1 as level
            union all
            select p.parent_id, up.level + 1 from up join issues_issue p on p.id = up.id where up.level < ${deepest}
          )
          select up.id::text from up where up.id is not null order by up.level
        )`.as('ancestor_ids'),
      )
      .where('i.repository_id', '=', repositoryId)
      .where('id' in which ? 'i.id' : 'i.number', '=', 'id' in which ? which.id : which.number)
      .executeTakeFirst();
    return row && { id: row.id, type: { name: row.name, isSubtask: row.is_subtask }, ancestorIds: row.ancestor_ids };
  },
  async height(id) {
    const { rows } = await rawSql<{ readonly height: number }>`
      with recursive down as (
        select ${id}::uuid as id, 1 as level
        union all
        select c.id, down.level + 1 from down join issues_issue c on c.parent_id = down.id
        where down.level <= ${deepest}
      )
      select max(level) as height from down
    `.execute(db());
    return rows[0]?.height ?? 1;
  },
  childTypes: (id) =>
    db()
      .selectFrom('issues_type as t')
      .select('t.name')
      .where('t.id', 'in', (is) => is.selectFrom('issues_issue as c').select('c.type_id').where('c.parent_id', '=', id))
      .execute(),
});
