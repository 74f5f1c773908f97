// Comments on lines, and what the caller may do with a comment.
import { html, type Granted, type Html } from 'hexforge/plugin';
import type { MergeRequest } from 'hexforge/merges';
import type { Repository } from 'hexforge/repositories';
import { comment, commented, pill, urlWith } from 'hexforge/ui';
import type { AuthoredComment } from '#core/merges/use-cases';
import { requestPage } from './links.ts';

/** Whether the caller may change the comment: its author and administrators of the repository. */
export const mayChange = (
  granted: Granted<Repository, 'repo.read'>,
  { authorId }: { readonly authorId: string },
): boolean => granted.call.caller.kind === 'user' && (authorId === granted.call.caller.id || granted.may('repo.admin'));

/** The page on which a comment is shown: the part of the request, and the query of the page. */
export interface Place {
  readonly part: 'overview' | 'changes';
  readonly query: string;
}

/** Resolving, and the page on which the comment is edited or deleted. Both lead back to the page that shows it. */
export function talkActions(
  granted: Granted<Repository, 'repo.read'>,
  { number }: Pick<MergeRequest, 'number'>,
  one: AuthoredComment,
  { part, query }: Place,
): Html | undefined {
  if (!mayChange(granted, one)) return undefined;
  const path = requestPage(granted.resource, number, `comments/${one.id}`);
  const at = (page: string): string => urlWith(page + query, { back: part === 'changes' ? part : undefined });
  return html`${
      (one.filePath !== null || one.resolved) &&
      html`<form method="post" action="${at(`${path}/resolve`)}">
        <button class="link" name="resolved" value="${String(!one.resolved)}">
          ${one.resolved ? 'Reopen' : 'Resolve'}
        </button>
      </form>`
    } <a class="quiet" href="${at(path)}">Edit</a>`;
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
        ${commented(one, granted.call.now)} ${one.resolved && pill('resolved', 'good')}
        ${one.outdated === true && pill('outdated')}`,
        actions: talkActions(granted, request, one, { part: 'changes', query }),
        body,
      }),
    )}
    ${after}
  </div>`;
