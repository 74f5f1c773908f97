// A review comment on a merge request (document B, "Merge request object"), and what it may be anchored to.
import { ValidationFailed } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/index';
import { keptText } from './said.ts';

/** What a comment is about: the request as a whole, a commit of it, a file there, or a line of that. */
export interface Anchor {
  /** A commit of the request. Never null beside a file. */
  readonly commitOid: Oid | null;
  /** Of a file of the commit. Never null beside a line. */
  readonly filePath: string | null;
  /** From 1. */
  readonly lineNumber: number | null;
}

/** What somebody said of a merge request. */
export interface MergeComment extends Anchor {
  readonly id: string;
  readonly requestId: string;
  readonly authorId: string;
  /** Markdown, with HTML escaped. */
  readonly body: string;
  readonly resolved: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A comment as it is shown. */
export interface CommentView extends MergeComment {
  /**
   * Whether the file or the line it is anchored to is not there any more at the head of the request; null where git
   * could not tell.
   */
  readonly outdated: boolean | null;
}

/** As it is kept. @throws {ValidationFailed} */
export function commentText(body: string): string {
  if (body.trim() === '') throw new ValidationFailed('A comment needs a text', { detail: '"body" must not be empty' });
  return keptText(body);
}
