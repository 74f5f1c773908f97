// Issues as a search of the whole site finds them: what is read of one, and of all of a repository, to be indexed.
import type { Repository } from '#core/repositories/index';
import type { IssueRow } from './issue.ts';
import type { IssueParts } from './parts.ts';

type Parts = Pick<IssueParts, 'store' | 'repositories'>;

export interface IndexedIssue {
  readonly issue: IssueRow;
  readonly repository: Repository;
}

/** Issues that are read at a time. */
const piece = 100;

export const indexedIssues = ({ store, repositories }: Parts) => ({
  /** Undefined where it is gone, or its repository. */
  async one(repositoryId: string, number: number): Promise<IndexedIssue | undefined> {
    const repository = await repositories.byId(repositoryId);
    const issue = repository && (await store.byNumber(repositoryId, number));
    return repository && issue && { issue, repository };
  },
  /** In the order of their numbers; those that are opened meanwhile too. */
  async *all(repositoryId: string): AsyncGenerator<IndexedIssue> {
    const repository = await repositories.byId(repositoryId);
    if (repository === undefined) return;
    for (let beyond = 0; ;) {
      const issues = await store.list(repositoryId, {}, { order: 'oldest', beyond, limit: piece, offset: 0 });
      for (const issue of issues) yield { issue, repository };
      const last = issues.at(-1);
      if (last === undefined) return;
      beyond = last.number;
    }
  },
});
