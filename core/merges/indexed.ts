// Merge requests as a search of the whole site finds them: what is read of one, and of all of a repository, to be
// indexed.
import type { Repository } from '#core/repositories/index';
import type { MergeRequest } from './merge-request.ts';
import type { MergeParts } from './parts.ts';

type Parts = Pick<MergeParts, 'store' | 'repositories'>;

export interface IndexedRequest {
  readonly request: MergeRequest;
  readonly repository: Repository;
}

/** Requests that are read at a time. */
const piece = 100;

export const indexedRequests = ({ store, repositories }: Parts) => ({
  /** Undefined where it is gone, or its repository. */
  async one(repositoryId: string, number: number): Promise<IndexedRequest | undefined> {
    const repository = await repositories.byId(repositoryId);
    const request = repository && (await store.find(repositoryId, number));
    return repository && request && { request, repository };
  },
  /** In the order of their numbers; those that are opened meanwhile too. */
  async *all(repositoryId: string): AsyncGenerator<IndexedRequest> {
    const repository = await repositories.byId(repositoryId);
    if (repository === undefined) return;
    for (let beyond = 0; ;) {
      const requests = await store.list(repositoryId, {}, { order: 'oldest', beyond, limit: piece, offset: 0 });
      for (const request of requests) yield { request, repository };
      const last = requests.at(-1);
      if (last === undefined) return;
      beyond = last.number;
    }
  },
});
