// Puts the threads of comments below the lines and files that they are about.
import { html, type Granted, type Html } from 'hexforge/plugin';
import type { MergeRequest } from 'hexforge/merges';
import type { Repository } from 'hexforge/repositories';
import { fileId, urlWith, type ChangedFile, type FileLooks } from 'hexforge/ui';
import { threadView, type Thread } from '../comment-view.ts';
import { blobPage } from '../links.ts';
import { wishText } from './line-form.ts';

interface Threads {
  readonly granted: Granted<Repository, 'repo.read'>;
  readonly request: Pick<MergeRequest, 'number' | 'authorId'>;
  /** By `placeKey`. */
  readonly threads: ReadonlyMap<string, Thread>;
  /** The threads that were put below a line or file. */
  readonly used: Set<Thread>;
  /** The path and query of the page. */
  readonly url: string;
  /** The form for a comment on this place, if it is open. */
  readonly formFor: (place: { readonly path: string; readonly line: number | undefined }) => Html | false;
}

interface OfFile extends Threads {
  readonly commit: string;
  readonly mayComment: boolean;
  /** Ids of files. */
  readonly viewed: ReadonlySet<string>;
  readonly isAlone: boolean;
  readonly isWhole: boolean;
  readonly hasText: boolean;
  /** Identifies the lines of the file, by the commits and the choices of the view. */
  readonly lines: readonly (string | boolean)[];
  /** The paths of files with threads or the open form. */
  readonly talkedAbout: ReadonlySet<string>;
}

export const placeKey = ({ path, line }: Pick<Thread, 'path' | 'line'>): string => `${String(line)}:${path}`;

const viewedMark = html`&#x2611;`;
const notViewedMark = html`&#x2610;`;

const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

/** The thread and the open form of one place. */
function at(
  { granted, request, threads, used, url, formFor }: Threads,
  place: { readonly path: string; readonly line: number | undefined },
  reply: () => string | undefined,
): Html | undefined {
  const thread = threads.get(placeKey(place));
  const form = formFor(place);
  if (thread !== undefined) used.add(thread);
  if (thread === undefined) return form === false ? undefined : form;
  const href = form === false ? reply() : undefined;
  const link = href !== undefined && html`<a class="quiet reply" href="${href}">Reply</a>`;
  return threadView(granted, request, thread, queryOf(url), form === false ? link : form);
}

export function fileLooks(file: ChangedFile, of: OfFile): FileLooks {
  const { granted, url, commit, mayComment, viewed, isAlone, isWhole, hasText, lines, talkedAbout } = of;
  const path = file.newPath;
  const id = fileId(file);
  const before = urlWith(url, { comment: undefined });
  // Written once for all lines, because parsing a URL for each is slow.
  const start = `${before}${before.includes('?') ? '&' : '?'}comment=${encodeURIComponent(wishText({ path, line: undefined }))}`;
  const wish = (line: number | undefined, target: string): string | undefined =>
    mayComment && !file.isDelete ? `${start}${line === undefined ? '' : String(line)}#${target}` : undefined;
  const isViewed = viewed.has(id);
  const toggled = isViewed ? viewed.difference(new Set([id])) : viewed.union(new Set([id]));
  const comment = wish(undefined, id);
  const expand =
    isWhole || file.isAdd || file.isDelete || !hasText
      ? undefined
      : `${urlWith(url, { file: path, full: '1', ...(isAlone ? {} : { comment: undefined }) })}#${id}`;
  return {
    ...(!file.isDelete && { href: blobPage(granted.resource, commit, path) }),
    closed: isViewed,
    actions: html`${comment !== undefined && html`<a class="quiet" href="${comment}">Comment</a>`}
      <a class="quiet" href="${urlWith(url, { viewed: [...toggled].join('.') })}#${id}"
        >${isViewed ? viewedMark : notViewedMark} Viewed</a
      >`,
    above: around(at(of, { path, line: undefined }, () => comment)),
    expand,
    key: JSON.stringify([...lines, file.oldPath, path, mayComment && start, expand]),
    commentOn: ({ op, newNo }) => (op === '-' ? undefined : wish(newNo, `${id}-R${String(newNo)}`)),
    ...(talkedAbout.has(path) && {
      below: ({ op, newNo }) =>
        op === '-' ? undefined : at(of, { path, line: newNo }, () => wish(newNo, `${id}-R${String(newNo)}`)),
    }),
  };
}

const around = (content: Html | undefined): Html | undefined =>
  content && html`<div class="file-talk">${content}</div>`;

/** The threads whose place is not on this page. */
export const unplaced = (
  { granted, request, url }: Pick<Threads, 'granted' | 'request' | 'url'>,
  threads: readonly Thread[],
): Html | false => {
  return (
    threads.length > 0 &&
    html`<section>
      <h2>Comments on other lines and versions</h2>
      ${threads.map(
        (thread) =>
          html`<h3>
              <bdi>${thread.path === '' ? 'The commit' : thread.path}</bdi
              >${thread.line !== undefined && `:${String(thread.line)}`}
            </h3>
            ${threadView(granted, request, thread, queryOf(url), false)}`,
      )}
    </section>`
  );
};
