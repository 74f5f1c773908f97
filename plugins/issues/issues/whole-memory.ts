// Joins issues in memory with the data of other tables, as the SQL store does.
import { publicUsers, type MemoryDatabase } from 'hexforge/plugin';
import type { Issue, IssueRow } from 'hexforge/issues';
import { commentTable, issueTable, labelTable, typeTable, userTable, type StoredIssue } from '../tables-memory.ts';

/** Deleting a parent unsets `parentId` in memory, while SQL sets it to null. */
export const own = (row: StoredIssue): Issue => ({ ...row, parentId: row.parentId ?? null });

/** Cuts each text to this many characters. */
export const cut = (row: StoredIssue, most: number): StoredIssue => ({
  ...row,
  description: row.description.slice(0, most),
  assumptions: row.assumptions?.slice(0, most) ?? null,
  acceptanceCriteria: row.acceptanceCriteria?.slice(0, most) ?? null,
});

export function wholeIssues(database: MemoryDatabase): (found: readonly StoredIssue[]) => readonly IssueRow[] {
  const types = typeTable(database);
  const issues = issueTable(database);
  const comments = commentTable(database);
  const labels = labelTable(database);
  const assignees = userTable(database, 'issues_assignee');
  return (found) => {
    const users = publicUsers(database);
    return found.flatMap((row) => {
      const author = users.get(row.authorId);
      const type = types.get(row.typeId);
      if (author === undefined || type === undefined) return [];
      const parent = issues.get(row.parentId ?? '');
      return [
        {
          ...own(row),
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
