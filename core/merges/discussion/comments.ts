// Review comments. Users who may write to the repository create them. The author and administrators of the repository
// change, resolve and delete them.
import type { Granted } from '#core/kernel/access/access';
import { afterChange } from '#core/kernel/storage/after-change';
import { changed } from '#core/kernel/storage/changed';
import { fitMembers } from '#core/kernel/clipping';
import type { User } from '#core/kernel/caller';
import { Forbidden, found, ValidationFailed } from '#core/kernel/errors';
import type { PageRequest } from '#core/kernel/page';
import type { ItemChange, Repository } from '#core/repositories/index';
import { checkedAnchor } from './anchors.ts';
import { commentText, type AnchorWish, type CommentView, type MergeComment } from '../model/comment.ts';
import { aboutMerge } from '../model/events.ts';
import { heldRequest, settledRequest, type Reading, type Writing } from '../model/held-request.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import { outdatedAnchors } from './outdated.ts';
import type { MergeParts } from '../model/parts.ts';

type Parts = Pick<MergeParts, 'store' | 'settling' | 'comments' | 'git' | 'unitOfWork' | 'events' | 'ids'>;

/** The path parameters of one comment: the number of the request and the comment id. */
export interface CommentPath {
  readonly number: number;
  readonly id: string;
}

/** A change of a comment. */
export interface CommentChange extends CommentPath {
  readonly body?: string | undefined;
  readonly resolved?: boolean | undefined;
}

export function commentUseCases(parts: Parts) {
  const { comments, git, unitOfWork, events, ids } = parts;
  const outdatedAt = outdatedAnchors(git);

  const shown = async (
    request: MergeRequest,
    all: readonly MergeComment[],
    signal: AbortSignal,
  ): Promise<readonly CommentView[]> => {
    const outdated = await outdatedAt(request, all, signal);
    return all.map((comment, index) => ({ ...comment, outdated: outdated[index] ?? null }));
  };
  /**
   * Reads a comment after it was created or changed. Needs git to find out whether it is outdated, and git may be
   * unavailable.
   */
  const shownChanged = (request: MergeRequest, comment: MergeComment, signal: AbortSignal): Promise<CommentView> =>
    afterChange(`the comments of merge request ${request.number}`, async () =>
      found((await shown(request, [comment], signal))[0]),
    );
  /** @throws {NotFound | Forbidden} */
  const own = async (granted: Writing, { id: requestId }: MergeRequest, id: string): Promise<MergeComment> => {
    const comment = found(await comments.findOne({ id, requestId }), 'There is no such comment');
    if (comment.authorId === granted.call.caller.id || granted.may('repo.admin')) return comment;
    throw new Forbidden('Only its author and administrators of the repository may change a comment');
  };
  const tell = (what: ItemChange, { call }: Pick<Writing, 'call'>, request: MergeRequest, { id }: MergeComment) =>
    events.emit({ type: `merge_comment.${what}`, ...aboutMerge(request, call.caller.id, { comment_id: id }) });

  return {
    /** The oldest first. @throws {NotFound} */
    async list(
      { resource, call }: Reading,
      { number, page }: { readonly number: number; readonly page: PageRequest },
    ): Promise<readonly CommentView[]> {
      const request = await settledRequest(parts, resource, number, call.signal);
      const { items } = await comments.page({ where: { requestId: request.id }, orderBy: ['createdAt', 'id'] }, page);
      return fitMembers(await shown(request, items, call.signal), ['body']);
    },

    /** @throws {NotFound | ValidationFailed} */
    async create(
      granted: Granted<Repository, 'repo.write', User>,
      { number, body, ...wish }: AnchorWish & { readonly number: number; readonly body: string },
    ): Promise<CommentView> {
      const { caller, now, signal } = granted.call;
      const said = { body: commentText(body), resolved: false, authorId: caller.id, createdAt: now, updatedAt: now };
      const request = await settledRequest(parts, granted.resource, number, signal);
      const anchor = await checkedAnchor(git, request, wish, signal);
      const comment = await unitOfWork.run(async () => {
        const held = await heldRequest(parts, granted.resource, number);
        const made = await comments.insert({ id: ids.uuid(), requestId: held.id, ...anchor, ...said });
        await tell('created', granted, held, made);
        return made;
      });
      return shownChanged(request, comment, signal);
    },

    /** @throws {NotFound | Forbidden | ValidationFailed} */
    async update(granted: Writing, { number, id, body, resolved }: CommentChange): Promise<CommentView> {
      const { now, signal } = granted.call;
      if (body === undefined && resolved === undefined)
        throw new ValidationFailed('There is nothing to change', { detail: 'Send "body", "resolved" or both' });
      const asked = { body: body === undefined ? undefined : commentText(body), resolved };
      const { request, comment } = await unitOfWork.run(async () => {
        const held = await heldRequest(parts, granted.resource, number);
        const before = await own(granted, held, id);
        const patch = changed<MergeComment>(before, asked);
        if (Object.keys(patch).length === 0) return { request: held, comment: before };
        const after = found(await comments.update({ id }, { ...patch, updatedAt: now }));
        await tell('updated', granted, held, after);
        return { request: held, comment: after };
      });
      return shownChanged(request, comment, signal);
    },

    /** @throws {NotFound | Forbidden} */
    delete: (granted: Writing, { number, id }: CommentPath): Promise<void> =>
      unitOfWork.run(async () => {
        const request = await heldRequest(parts, granted.resource, number);
        const comment = await own(granted, request, id);
        await comments.delete({ id });
        await tell('deleted', granted, request, comment);
      }),
  };
}
