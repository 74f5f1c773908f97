// The store of issue types on PostgreSQL.
import type { SqlDatabase } from 'hexforge/plugin';
import type { IssueTypeStore } from 'hexforge/issues';
import type { IssuesRows } from '../tables.ts';

export const sqlIssueTypeStore = (database: SqlDatabase): IssueTypeStore => ({
  async byId(id) {
    const row = await database
      .kysely<IssuesRows>()
      .selectFrom('issues_type')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return (
      row && {
        id: row.id,
        name: row.name,
        displayName: row.display_name,
        description: row.description,
        color: row.color,
        icon: row.icon,
        isSubtask: row.is_subtask,
        position: row.position,
      }
    );
  },
});
