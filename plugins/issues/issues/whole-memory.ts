// Issues in memory with all that is read of one beside its row: what the joins of SQL do.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { Issue, IssueRow } from 'hexforge/issues';
import {
  commentTable,
  issueTable,
  labelTable,
  publicUsers,
  typeTable,
  userTable,
  type StoredIssue,
} from '../tables-memory.ts';

/** Memory unsets what SQL sets to null. */
export const own = (row: StoredIssue): Issue => ({ ...row, parentId: row.parentId ?? null });

export function wholeIssues(database: MemoryDatabase): (found: readonly StoredIssue[]) => readonly IssueRow[] {
  const types = typeTable(database);
  const issues = issueTable(database);
  const comments = commentTable(database);
  const labels = labelTable(database);
  const assignees = userTable(database, 'issues_assignee');
  return (found) => {
    const users = publicUsers(database);
    const person = (id: string) => {
      const user = users.get(id);
      return user === undefined
        ? []
        : [{ id, username: user.username, displayName: user.display_name, avatarUrl: user.avatar_url }];
    };
    return found.flatMap((row) => {
      const [author] = person(row.authorId);
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
            .flatMap(({ userId }) => person(userId))
            .sort((one, other) => (one.username.toLowerCase() < other.username.toLowerCase() ? -1 : 1)),
          labelIds: labels.find({ where: { issueId: row.id } }).map(({ labelId }) => labelId),
          childrenCount: issues.count({ parentId: row.id }),
          commentsCount: comments.count({ issueId: row.id }),
        },
      ];
    });
  };
}
