// All use cases of the area for its own plugin, built once from its dependencies. Each takes a `Granted` and a command.
import { indexedThings } from '#core/repositories/index';
import { commentUseCases } from './comments.ts';
import { fetchFile, listFiles } from './files.ts';
import { requestCommits } from './commits.ts';
import { fetchRequest, idOfRequest } from './fetch-request.ts';
import { followUseCases } from './follow.ts';
import { listRequests } from './list-requests.ts';
import { repositoryCounters, userReferences } from './offers.ts';
import { mergeIntents } from './merge-intents.ts';
import { mergeRequest } from './merge.ts';
import { mergeability } from './mergeability.ts';
import { openRequest } from './open-request.ts';
import type { MergeParts } from './parts.ts';
import { prepareUrl } from './prepare-url.ts';
import { submitReview } from './reviews.ts';
import { updateRequest } from './update-request.ts';

export type MergeUseCases = ReturnType<typeof mergeUseCases>;

export function mergeUseCases(parts: MergeParts) {
  const intents = mergeIntents(parts);
  return {
    open: openRequest(parts),
    list: listRequests(parts),
    files: listFiles(parts),
    file: fetchFile(parts),
    fetch: fetchRequest(parts),
    idOf: idOfRequest(parts),
    update: updateRequest(parts),
    merge: mergeRequest({ ...parts, mergeIntents: intents }),
    mergeability: mergeability(parts),
    reconcile: () => intents.reconcile(),
    commits: requestCommits(parts),
    comments: commentUseCases(parts),
    submitReview: submitReview(parts),
    prepareUrl: prepareUrl(parts),
    follow: followUseCases(parts),
    indexed: indexedThings(parts),
    repositoryCounters: repositoryCounters(parts),
    userReferences: userReferences(parts),
    dropLabel: (labelId: string) => parts.store.dropLabel(labelId),
    dropMilestone: (milestoneId: string) => parts.store.dropMilestone(milestoneId),
  };
}
