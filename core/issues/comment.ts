// A comment on an issue (document B, "Issue object"), and its rule.
import type { PublicUser } from '#core/identity/index';
import { ValidationFailed } from '#core/kernel/errors';

/** What somebody said of an issue. */
export interface IssueComment {
  readonly id: string;
  readonly issueId: string;
  readonly authorId: string;
  /** Markdown. */
  readonly body: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A comment as it is shown. */
export interface CommentView extends IssueComment {
  readonly author: PublicUser;
}

/** Document B, "Comments": not empty. @throws {ValidationFailed} */
export function commentBody(body: string): string {
  if (body.trim() !== '') return body;
  throw new ValidationFailed('A comment needs a text', { detail: '"body" must not be empty' });
}
