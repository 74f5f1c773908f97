// The store of links between issues in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { IssueLink, LinkedIssue, LinkStore } from 'hexforge/issues';
import { issueRows, linkRows } from '../tables.ts';

export function memoryLinkStore(database: MemoryDatabase): LinkStore {
  const issues = issueRows.memory(database).table;
  const links = linkRows.memory(database).table;
  const touches =
    (issueId: string) =>
    ({ sourceId, targetId }: IssueLink): boolean =>
      sourceId === issueId || targetId === issueId;
  const end = (id: string): readonly LinkedIssue[] => {
    const issue = issues.get(id);
    return issue === undefined ? [] : [{ id, number: issue.number, title: issue.title, state: issue.state }];
  };
  return {
    insert: async (link) => links.insert(link),
    async delete(issueId, id) {
      const link = links.get(id);
      return link !== undefined && touches(issueId)(link) && links.delete(id) ? link : undefined;
    },
    of: async (issueId) =>
      links.find({ where: touches(issueId), orderBy: ['createdAt', 'id'] }).flatMap((link) => {
        const [[source], [target]] = [end(link.sourceId), end(link.targetId)];
        return source === undefined || target === undefined ? [] : [{ ...link, source, target }];
      }),
    async blocks(id, otherId) {
      const blocked = new Set<string>();
      const follow = (sourceId: string): void => {
        for (const { targetId } of links.find({ where: { sourceId, type: 'blocks' } })) {
          if (blocked.has(targetId)) continue;
          blocked.add(targetId);
          follow(targetId);
        }
      };
      follow(id);
      return blocked.has(otherId);
    },
  } satisfies LinkStore;
}
