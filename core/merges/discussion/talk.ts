// The people, comments and reviews of a merge request, as its pages show them.
import type { PublicUser } from '#core/identity/index';
import { found } from '#core/kernel/errors';
import type { PageRequest } from '#core/kernel/page';
import type { CommentView, MergeComment } from '../model/comment.ts';
import { knownRequest, type Reading } from '../model/held-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { unescaped } from '../model/said.ts';
import type { MergeReview } from '../model/review.ts';
import type { CommentPath, commentUseCases } from './comments.ts';

/** A comment with its author. The body is Markdown before HTML was escaped. */
export type AuthoredComment = CommentView & { readonly author: PublicUser };
/** A review with its reviewer. The body is Markdown before HTML was escaped. */
export type AuthoredReview = MergeReview & { readonly user: PublicUser };

export interface MergeTalk {
  /** The oldest first. */
  readonly comments: readonly AuthoredComment[];
  /** Pending ones too, sorted by username. */
  readonly reviews: readonly AuthoredReview[];
  readonly mergedBy: PublicUser | undefined;
}

type Parts = Pick<MergeParts, 'store' | 'reviews' | 'users'> & {
  readonly comments: Pick<ReturnType<typeof commentUseCases>, 'list'>;
};

/** One comment. The body is Markdown before HTML was escaped. @throws {NotFound} */
export const fetchComment =
  ({ store, comments }: Pick<MergeParts, 'store' | 'comments'>) =>
  async ({ resource }: Reading, { number, id }: CommentPath): Promise<MergeComment> => {
    const { id: requestId } = await knownRequest({ store }, resource, number);
    const comment = found(await comments.findOne({ id, requestId }), 'There is no such comment');
    return { ...comment, body: unescaped(comment.body) };
  };

/** @throws {NotFound} */
export const mergeTalk =
  (parts: Parts) =>
  async (
    granted: Reading,
    { number, page }: { readonly number: number; readonly page: PageRequest },
  ): Promise<MergeTalk> => {
    const { id, mergedById } = await knownRequest(parts, granted.resource, number);
    const [comments, reviews] = await Promise.all([
      parts.comments.list(granted, { number, page }),
      parts.reviews.find({ where: { requestId: id }, orderBy: ['id'] }),
    ]);
    const ids = [...comments.map(({ authorId }) => authorId), ...reviews.map(({ userId }) => userId), mergedById ?? []];
    const people = await parts.users.byIds([...new Set(ids.flat())]);
    return {
      comments: comments.flatMap((comment) => {
        const author = people.get(comment.authorId);
        return author === undefined ? [] : [{ ...comment, body: unescaped(comment.body), author }];
      }),
      reviews: reviews
        .flatMap((review) => {
          const user = people.get(review.userId);
          return user === undefined ? [] : [{ ...review, body: unescaped(review.body), user }];
        })
        .toSorted((one, other) => (one.user.username.toLowerCase() < other.user.username.toLowerCase() ? -1 : 1)),
      mergedBy: mergedById === null ? undefined : people.get(mergedById),
    };
  };
