// A comment on an issue, and the rule for its text.
import type { PublicUser } from '#core/identity/index';
import { ValidationFailed } from '#core/kernel/errors';

/** A comment on an issue. */
export interface IssueComment {
  readonly id: string;
  readonly issueId: string;
  readonly authorId: string;
  /** Markdown. */
  readonly body: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A comment with its author, as responses show it. */
export interface CommentView extends IssueComment {
  readonly author: PublicUser;
}

/** A comment must not be blank. @throws {ValidationFailed} */
export function commentBody(body: string): string {
  if (body.trim() !== '') return body;
  throw new ValidationFailed('A comment needs a text', { detail: '"body" must not be empty' });
}
