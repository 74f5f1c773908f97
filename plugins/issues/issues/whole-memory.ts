// Joins issues in memory with the data of other tables, as the SQL store does.
import { publicUsers, type MemoryDatabase } from 'hexforge/plugin';
import type { Issue, IssueRow } from 'hexforge/issues';
import { assigneeRows, commentRows, issueRows, labelRows, typeRows } from '../tables.ts';

/** Cuts each text to this many characters. */
export const cut = (row: Issue, most: number): Issue => ({
  ...row,
  description: row.description.slice(0, most),
  assumptions: row.assumptions?.slice(0, most) ?? null,
  acceptanceCriteria: row.acceptanceCriteria?.slice(0, most) ?? null,
});

export function wholeIssues(database: MemoryDatabase): (found: readonly Issue[]) => readonly IssueRow[] {
  const types = typeRows.memory(database).table;
  const issues = issueRows.memory(database).table;
  const comments = commentRows.memory(database).table;
  const labels = labelRows.memory(database).table;
  const assignees = assigneeRows.memory(database).table;
  return (found) => {
    const users = publicUsers(database);
    return found.flatMap((row) => {
      const author = users.get(row.authorId);
      const type = types.get(row.typeId);
      if (author === undefined || type === undefined) return [];
      const parent = issues.get(row.parentId ?? '');
      return [
        {
          ...row,
          author,
          type,
          parent: parent === undefined ? null : { id: parent.id, number: parent.number, title: parent.title },
          assignees: assignees
            .find({ where: { issueId: row.id } })
            .flatMap(({ userId }) => users.get(userId) ?? [])
            .sort((one, other) => (one.username.toLowerCase() < other.username.toLowerCase() ? -1 : 1)),
          labelIds: labels.find({ where: { issueId: row.id } }).map(({ labelId }) => labelId),
          childrenCount: issues.count({ parentId: row.id }),
          commentsCount: comments.count({ issueId: row.id }),
        },
      ];
    });
  };
}
