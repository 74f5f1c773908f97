// Comments on lines, and what the caller may do with a comment.
import { html, type Granted, type Html } from 'hexforge/plugin';
import type { MergeRequest } from 'hexforge/merges';
import type { Repository } from 'hexforge/repositories';
import { comment, pill, time } from 'hexforge/ui';
import type { AuthoredComment } from '#core/merges/use-cases';
import { requestPage } from './links.ts';

/** Whether the caller may change the comment: its author and administrators of the repository. */
export const mayChange = (
  granted: Granted<Repository, 'repo.read'>,
  { authorId }: { readonly authorId: string },
): boolean => granted.call.caller.kind === 'user' && (authorId === granted.call.caller.id || granted.may('repo.admin'));

/**
 * Resolving, and the page on which the comment is edited or deleted.
 * @param query the query of the page of changes, to which the form leads back.
 */
export function talkActions(
  granted: Granted<Repository, 'repo.read'>,
  { number }: Pick<MergeRequest, 'number'>,
  one: AuthoredComment,
  query?: string,
): Html | undefined {
  if (!mayChange(granted, one)) return undefined;
  const path = requestPage(granted.resource, number, `comments/${one.id}`);
  return html`${
      (one.filePath !== null || one.resolved) &&
      html`<form method="post" action="${path}/resolve${query}">
        ${query !== undefined && html`<input type="hidden" name="back" value="changes" />`}
        <button class="link" name="resolved" value="${String(!one.resolved)}">
          ${one.resolved ? 'Reopen' : 'Resolve'}
        </button>
      </form>`
    } <a class="quiet" href="${path}">Edit</a>`;
}

/** Comments on the same line, in their order. */
export interface Thread {
  readonly path: string;
  readonly line: number | undefined;
  readonly comments: readonly {
    readonly comment: AuthoredComment;
    readonly body: Html;
    /** The first line of a range at the shown commit. */
    readonly start?: number | undefined;
  }[];
}

/** @param after below the comments, such as the form for a reply. */
export const threadView = (
  granted: Granted<Repository, 'repo.read'>,
  request: Pick<MergeRequest, 'number' | 'authorId'>,
  { comments, line }: Thread,
  query: string,
  after: Html | false,
): Html =>
  html`<div class="thread">
    ${comments.map(({ comment: one, body, start }) =>
      comment({
        id: `comment-${one.id}`,
        author: one.author.username,
        head: html`${one.authorId === request.authorId && pill('author')}
        ${start !== undefined && line !== undefined && `on lines ${String(start)} to ${String(line)}`}
        ${time(one.createdAt, granted.call.now)} ${one.resolved && pill('resolved', 'good')}
        ${one.outdated === true && pill('outdated')}`,
        actions: talkActions(granted, request, one, query),
        body,
      }),
    )}
    ${after}
  </div>`;
