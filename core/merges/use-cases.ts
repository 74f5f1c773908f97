// All use cases of the area for its own plugin, built once from its dependencies. Each takes a `Granted` and a command.
import { indexedThings } from '#core/repositories/index';
import { commentUseCases } from './discussion/comments.ts';
import { fetchFile, listFiles } from './requests/files.ts';
import { fetchRequest, idOfRequest, listRequests, requestCommits } from './requests/read-requests.ts';
import { followUseCases } from './merging/follow.ts';
import { repositoryCounters, userReferences } from './model/offers.ts';
import { mergeIntents } from './merging/merge-intents.ts';
import { mergeRequest } from './merging/merge.ts';
import { mergeability } from './merging/mergeability.ts';
import { openRequest } from './requests/open-request.ts';
import type { MergeParts } from './model/parts.ts';
import { prepareUrl } from './requests/prepare-url.ts';
import { submitReview } from './discussion/reviews.ts';
import { updateRequest } from './requests/update-request.ts';

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
