// A review comment on a merge request, and its anchor.
import { ValidationFailed } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/index';
import { keptText } from './said.ts';

/** The subject of a comment: the whole request, one of its commits, a file at a commit, or a line of a file. */
export interface Anchor {
  /** A commit of the request. Never null if there is a file. */
  readonly commitOid: Oid | null;
  /** A file at the commit. Never null if there is a line. */
  readonly filePath: string | null;
  /** Starts at 1. The last line of a range. */
  readonly lineNumber: number | null;
  /** The first line of a range of several lines. */
  readonly startLine: number | null;
}

/** The anchor that a caller requests. */
export interface AnchorWish {
  readonly commitOid?: Oid | undefined;
  /** Without a commit, a file at the current head. */
  readonly filePath?: string | undefined;
  /** A line of the file, from 1. */
  readonly lineNumber?: number | undefined;
  /** The first line of a range that ends in `lineNumber`. */
  readonly startLine?: number | undefined;
}

/** A comment on a merge request. */
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

/** A comment as responses show it. */
export interface CommentView extends MergeComment {
  /** Whether the anchored file or line no longer exists at the head of the request. Null if git could not find out. */
  readonly outdated: boolean | null;
}

/** Converts a text to the form in which it is stored. @throws {ValidationFailed} */
export function commentText(body: string): string {
  if (body.trim() === '') throw new ValidationFailed('A comment needs a text', { detail: '"body" must not be empty' });
  return keptText(body);
}
