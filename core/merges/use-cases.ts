// All use cases of the area for its own plugin, built once from its dependencies. Each takes a `Granted` and a command.
import type { PendingEvents } from '#core/kernel/storage/pending-events';
import type { UserReferences } from '#core/identity/index';
import { indexedThings, type KeptRequests, type RepositoryCounters } from '#core/repositories/index';
import { commentUseCases } from './discussion/comments.ts';
import { fetchComment, mergeTalk } from './discussion/talk.ts';
import { browseRequests } from './requests/browse.ts';
import { placesOf, requestChanges } from './requests/changes.ts';
import { branchChoices, mergeChoices, peopleNamed } from './requests/choices.ts';
import { listMine } from './requests/mine.ts';
import { previewRequest } from './requests/preview.ts';
import { mergeStanding } from './requests/standing.ts';
import { fetchFile, listFiles } from './requests/files.ts';
import { fetchRequest, idOfRequest, listRequests, requestCommits } from './requests/read-requests.ts';
import { appliedEvents } from './merging/applied-events.ts';
import { followUseCases } from './merging/follow.ts';
import { broughtFor } from './merging/heads.ts';
import { accessUseCases } from './merging/lose-source.ts';
import { deleteSource } from './merging/delete-source.ts';
import { letGoUseCases } from './merging/let-go.ts';
import { mergeIntents } from './merging/merge-intents.ts';
import { mergeRequest } from './merging/merge.ts';
import { mergeability } from './merging/mergeability.ts';
import { openRequest } from './requests/open-request.ts';
import type { MergeParts } from './model/parts.ts';
import { offeredMergeRequests } from './offered.ts';
import { prepareUrl } from './requests/prepare-url.ts';
import { settling } from './merging/settle.ts';
import { submitReview } from './discussion/reviews.ts';
import { requestTitles } from './requests/titles.ts';
import { updateRequest } from './requests/update-request.ts';

export type { AuthoredComment, AuthoredReview, MergeTalk } from './discussion/talk.ts';
export type { BrowsedRequest } from './requests/browse.ts';
export type { FileText, RequestChanges, ShownFile } from './requests/changes.ts';
export type { MergePreview } from './requests/preview.ts';
export type { MergeStanding } from './requests/standing.ts';
export type { LocatedRequest } from './requests/mine.ts';
export type MergeUseCases = ReturnType<typeof mergeUseCases>;

export function mergeUseCases(given: Omit<MergeParts, 'settling'> & { readonly pendingEvents: PendingEvents }) {
  const applied = appliedEvents();
  const parts: MergeParts = { ...given, settling: settling({ ...given, applied }) };
  const intents = mergeIntents(parts);
  const shown = { list: listRequests(parts), fetch: fetchRequest(parts), comments: commentUseCases(parts) };
  return {
    ...shown,
    offered: offeredMergeRequests(parts, shown),
    browse: browseRequests(parts),
    listMine: listMine(parts),
    choices: mergeChoices(parts),
    branchChoices: branchChoices(parts),
    usersNamed: peopleNamed(parts),
    preview: previewRequest(parts),
    standing: mergeStanding(parts),
    comment: fetchComment(parts),
    talk: mergeTalk({ ...parts, comments: shown.comments }),
    changes: requestChanges(parts),
    places: placesOf(parts),
    deleteSource: deleteSource(parts),
    open: openRequest(parts),
    titles: requestTitles(parts),
    files: listFiles(parts),
    file: fetchFile(parts),
    idOf: idOfRequest(parts),
    update: updateRequest(parts),
    merge: mergeRequest({ ...parts, mergeIntents: intents }),
    mergeability: mergeability(parts),
    reconcile: () => intents.reconcile(),
    commits: requestCommits(parts),
    submitReview: submitReview(parts),
    prepareUrl: prepareUrl(parts),
    follow: followUseCases({ ...parts, applied }),
    access: accessUseCases(parts),
    letGo: letGoUseCases(parts),
    keptRequests: keptRequests(parts),
    /** The number of open requests of a repository. */
    countOpen: async (repositoryId: string) => (await parts.store.countOpen([repositoryId])).get(repositoryId) ?? 0,
    indexed: indexedThings(parts.store),
    ...countsFor(parts),
    dropLabel: (labelId: string) => parts.store.dropLabel(labelId),
    dropMilestone: (milestoneId: string) => parts.store.dropMilestone(milestoneId),
  };
}

const keptRequests = ({ store }: MergeParts): KeptRequests => ({
  into: async (...asked) =>
    (await store.openFromForks(...asked)).map((request) => ({ ...broughtFor(request), commit: request.headOid })),
});

/** The counts that other areas show or need. */
const countsFor = ({
  store,
}: MergeParts): { readonly repositoryCounters: RepositoryCounters; readonly userReferences: UserReferences } => ({
  repositoryCounters: {
    async counts(repositoryIds) {
      const open = await store.countOpen(repositoryIds);
      return new Map(repositoryIds.map((id) => [id, { openMergeRequests: open.get(id) ?? 0 }]));
    },
  },
  userReferences: {
    what: 'merge requests, reviews and comments on them',
    counts: (userIds) => store.countByUser(userIds),
  },
});
