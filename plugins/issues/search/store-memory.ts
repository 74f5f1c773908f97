// The search of issues in memory: a simple match of words, or of a part of the title.
import type { MemoryDatabase } from 'hexforge/plugin';
import {
  searchBounds,
  textShare,
  type FacetCount,
  type Issue,
  type IssueSearchStore,
  type SearchText,
} from 'hexforge/issues';
import { hasWords } from '../issues/filter-memory.ts';
import { cut, wholeIssues } from '../issues/whole-memory.ts';
import { issueRows } from '../tables.ts';

/** The rank of a word in the title and in the description, with the weights of PostgreSQL. */
const weights = { title: 1, description: 0.1 } as const;

function rankOf({ title, description }: Issue, { way, text }: SearchText): number {
  if (way === 'near') return title.toLowerCase().includes(text) ? weights.title : 0;
  if (hasWords(title, text)) return weights.title;
  return hasWords(`${title} ${description}`, text) ? weights.description : 0;
}

export function memoryIssueSearchStore(database: MemoryDatabase): IssueSearchStore {
  const issues = issueRows.memory(database).table;
  const whole = wholeIssues(database);
  const matching = (repositoryId: string, text: SearchText, most: number): readonly Issue[] =>
    issues.find({
      where: (row) => row.repositoryId === repositoryId && rankOf(row, text) > 0,
      orderBy: { desc: 'number' },
      limit: most,
    });
  return {
    search: async (repositoryId, text, limit) => {
      const found = matching(repositoryId, text, searchBounds.ranked).map((row) => ({ row, rank: rankOf(row, text) }));
      // The sort is stable, so equally ranked issues stay newest first.
      const best = found.sort((one, other) => other.rank - one.rank).slice(0, limit);
      const share = textShare(best.length);
      const rows = best.map(({ row }) => (share === undefined ? row : cut(row, share + 1)));
      return whole(rows).map((row, at) => ({ ...row, rank: best[at]?.rank ?? 0 }));
    },
    facets: async (repositoryId, text) => {
      const counts = new Map<string, FacetCount>();
      const add = (facet: FacetCount['facet'], value: string): void => {
        const key = `${facet} ${value}`;
        counts.set(key, { facet, value, count: (counts.get(key)?.count ?? 0) + 1 });
      };
      for (const { state, type, labelIds, assignees } of whole(matching(repositoryId, text, searchBounds.counted))) {
        add('state', state);
        add('type', type.name);
        for (const id of labelIds) add('label', id);
        for (const { username } of assignees) add('assignee', username);
      }
      return [...counts.values()];
    },
  } satisfies IssueSearchStore;
}
