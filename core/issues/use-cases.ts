// All use cases of the area for its own plugin, built once from its parts.
import { repositoryCounters, userReferences } from './offers.ts';
import type { IssueParts } from './parts.ts';

export type IssueUseCases = ReturnType<typeof issueUseCases>;

export function issueUseCases(parts: IssueParts) {
  return {
    repositoryCounters: repositoryCounters(parts),
    userReferences: userReferences(parts),
  };
}
