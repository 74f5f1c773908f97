// Decides whether a merge request from another repository may follow its source: its pusher can push there, and the
// source has not become less visible than the target.
import { isAtMostAsVisible, type Visibility } from '#core/repositories/index';
import { isFromFork, type MergeRequest } from './merge-request.ts';
import type { MergeParts } from './parts.ts';

/** Why a request does not follow its source: its pusher cannot push there, or it is less visible than the target. */
export const sourceLosses = ['cannot_push', 'less_visible'] as const;
/** One of `sourceLosses`. */
export type SourceLoss = (typeof sourceLosses)[number];

/** The members of a request that the decision depends on. */
export type SourceClaim = Pick<
  MergeRequest,
  'authorId' | 'reopenedById' | 'sourceLoss' | 'sourceVisibility' | 'targetVisibility'
>;

/** The pusher of a request: the user whose permission to push to the source lets the request follow it. */
export const pusherOf = ({ authorId, reopenedById }: Pick<SourceClaim, 'authorId' | 'reopenedById'>): string =>
  reopenedById ?? authorId;

/** The present facts about the source. */
export interface SourceStanding {
  /** Whether the pusher of the request can push to the source. */
  readonly canPush: boolean;
  readonly source: Visibility;
  readonly target: Visibility;
}

/**
 * Undefined if the request may follow. A loss that was recorded stays until the request is reopened. A source that is
 * less visible than the target is followed if both had these visibilities, or closer ones, when somebody who could push
 * to the source opened or reopened the request.
 */
export function sourceLossOf(claim: SourceClaim, { canPush, source, target }: SourceStanding): SourceLoss | undefined {
  if (claim.sourceLoss !== null) return claim.sourceLoss;
  if (!canPush) return 'cannot_push';
  if (isAtMostAsVisible(target, source)) return undefined;
  const { sourceVisibility: known, targetVisibility: shown } = claim;
  const agreed =
    known !== null && shown !== null && isAtMostAsVisible(known, source) && isAtMostAsVisible(target, shown);
  return agreed ? undefined : 'less_visible';
}

/** How to make the request follow again, for the refusal of a merge. */
export const sourceLossDetails: Readonly<Record<SourceLoss, string>> = {
  cannot_push:
    'Its author, or the user who last reopened it, cannot push to the source; somebody who can must reopen it',
  less_visible: 'The source became less visible than the target; somebody who can push to it must reopen it',
};

type Reading = Pick<MergeParts, 'repositories'>;

/**
 * Why the request may not follow its source. Undefined if it may, if the source is a branch of the target, and if it is
 * gone. Reads no git, so a unit of work may call it.
 */
export const sourceLossNow = async (parts: Reading, request: MergeRequest): Promise<SourceLoss | undefined> =>
  request.sourceLoss ?? (await sourceLossesNow(parts, [request])).get(request.id);

/** The losses of many requests by id. The number of reads depends on the number of repositories. */
export async function sourceLossesNow(
  { repositories }: Reading,
  requests: readonly MergeRequest[],
): Promise<ReadonlyMap<string, SourceLoss>> {
  const losses = new Map<string, SourceLoss>();
  const bySource = Map.groupBy(requests.filter(isFromFork), ({ sourceRepositoryId }) => sourceRepositoryId);
  for (const [sourceId, alike] of bySource) {
    if (sourceId === undefined) continue;
    const targetIds = [...new Set(alike.map(({ repositoryId }) => repositoryId))];
    const users = [...new Set(alike.map(pusherOf))];
    const [holders, source, ...targets] = await Promise.all([
      repositories.holders(sourceId, 'repo.write', users),
      ...[sourceId, ...targetIds].map((id) => repositories.byId(id)),
    ]);
    for (const request of alike) {
      const target = targets[targetIds.indexOf(request.repositoryId)];
      if (source === undefined || target === undefined) continue;
      const canPush = holders.has(pusherOf(request));
      const loss = sourceLossOf(request, { canPush, source: source.visibility, target: target.visibility });
      if (loss !== undefined) losses.set(request.id, loss);
    }
  }
  return losses;
}

/**
 * The visibilities that a user who can push to the source agrees to now, by opening or reopening the request. Null for
 * a branch of the target repository.
 */
export async function agreed(
  { repositories }: Reading,
  request: Pick<MergeRequest, 'repositoryId' | 'sourceRepositoryId'>,
): Promise<Pick<MergeRequest, 'sourceVisibility' | 'targetVisibility'>> {
  const { repositoryId, sourceRepositoryId } = request;
  if (!isFromFork(request) || sourceRepositoryId === undefined)
    return { sourceVisibility: null, targetVisibility: null };
  const [source, target] = await Promise.all([sourceRepositoryId, repositoryId].map((id) => repositories.byId(id)));
  return { sourceVisibility: source?.visibility ?? null, targetVisibility: target?.visibility ?? null };
}
