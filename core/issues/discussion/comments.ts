// Comments on issues. Signed-in users who may read the repository create them, only the author may change one, and the
// author and instance administrators may delete one.
import { fitMembers } from '#core/kernel/clipping';
import { Forbidden, found } from '#core/kernel/errors';
import type { PageRequest } from '#core/kernel/page';
import type { ItemChange } from '#core/repositories/index';
import { commentBody, type CommentView, type IssueComment } from '../model/comment.ts';
import { aboutIssue } from '../model/events.ts';
import { heldIssue, knownIssue, type Reading, type Writing } from '../model/held-issue.ts';
import type { IssueParts } from '../model/parts.ts';
import type { HeldIssue } from '../model/ports.ts';

type Parts = Pick<IssueParts, 'store' | 'comments' | 'users' | 'unitOfWork' | 'events' | 'ids'>;
/** The path parameters of one comment: the issue reference and the comment id. */
export interface CommentPath {
  readonly number: string;
  readonly id: string;
}

/** Selects comments of an issue. */
export interface CommentList {
  readonly number: string;
  readonly page: PageRequest;
  /** The last comment that the caller has read. It may have been deleted since. */
  readonly after?: Pick<IssueComment, 'createdAt' | 'id'> | undefined;
}

/** Only holders of issue.write may comment on a locked issue. @throws {Forbidden} */
function checkUnlocked(granted: Writing, { locked }: HeldIssue): void {
  if (locked && !granted.may('issue.write'))
    throw new Forbidden('The issue is locked', { detail: 'Commenting on it needs the permission "issue.write"' });
}

export function commentUseCases(parts: Parts) {
  const { comments, users, unitOfWork, events, ids } = parts;

  /** Reads the authors of all comments in one query. */
  const shown = async (all: readonly IssueComment[]): Promise<readonly CommentView[]> => {
    const authors = await users.byIds(all.map(({ authorId }) => authorId));
    return all.map((comment) => ({ ...comment, author: found(authors.get(comment.authorId)) }));
  };
  const shownOne = async (comment: IssueComment): Promise<CommentView> => found((await shown([comment]))[0]);
  const own = async ({ id: issueId }: HeldIssue, { id }: CommentPath): Promise<IssueComment> =>
    found(await comments.findOne({ id, issueId }), 'There is no such comment');
  const tell = (what: ItemChange, { call }: Writing, issue: HeldIssue, { id }: IssueComment) =>
    events.emit({ type: `issue_comment.${what}`, ...aboutIssue(issue, call, { comment_id: id }) });

  return {
    /** The oldest first, and only those after `after` if it is given. @throws {NotFound} */
    async list({ resource }: Reading, { number, page, after }: CommentList): Promise<readonly CommentView[]> {
      const { id: issueId } = await knownIssue(parts, resource, number);
      const { items } = await comments.page({ where: { issueId }, orderBy: ['createdAt', 'id'], after }, page);
      return fitMembers(await shown(items), ['body']);
    },

    /** @throws {NotFound} */
    async fetch({ resource }: Reading, { number, id }: CommentPath): Promise<CommentView> {
      const { id: issueId } = await knownIssue(parts, resource, number);
      return shownOne(found(await comments.findOne({ id, issueId }), 'There is no such comment'));
    },

    /** @throws {NotFound | Forbidden | ValidationFailed} */
    async create(
      granted: Writing,
      { number, body }: { readonly number: string; readonly body: string },
    ): Promise<CommentView> {
      const { caller, now } = granted.call;
      const said = { body: commentBody(body), authorId: caller.id, createdAt: now, updatedAt: now };
      return unitOfWork.run(async () => {
        const issue = await heldIssue(parts, granted, number);
        checkUnlocked(granted, issue);
        const made = await comments.insert({ id: ids.uuid(), issueId: issue.id, ...said });
        await tell('created', granted, issue, made);
        return shownOne(made);
      });
    },

    /** @throws {NotFound | Forbidden | ValidationFailed} */
    async update(granted: Writing, { body, ...which }: CommentPath & { readonly body: string }): Promise<CommentView> {
      const { caller, now } = granted.call;
      const text = commentBody(body);
      return unitOfWork.run(async () => {
        const issue = await heldIssue(parts, granted, which.number);
        const before = await own(issue, which);
        if (before.authorId !== caller.id) throw new Forbidden('Only the author may change a comment');
        checkUnlocked(granted, issue);
        if (before.body === text) return shownOne(before);
        const after = found(await comments.update({ id: before.id }, { body: text, updatedAt: now }));
        await tell('updated', granted, issue, after);
        return shownOne(after);
      });
    },

    /** @throws {NotFound | Forbidden} */
    delete: (granted: Writing, which: CommentPath): Promise<void> =>
      unitOfWork.run(async () => {
        const { caller } = granted.call;
        const issue = await heldIssue(parts, granted, which.number);
        const comment = await own(issue, which);
        if (comment.authorId !== caller.id && !caller.isAdmin)
          throw new Forbidden('Only the author and administrators of the instance may delete a comment');
        await comments.delete({ id: comment.id });
        await tell('deleted', granted, issue, comment);
      }),
  };
}
