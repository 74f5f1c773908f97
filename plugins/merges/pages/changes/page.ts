// The page of the changes of a merge request: files, comments on their lines, and the form of a review.
import {
  form,
  HexforgeError,
  html,
  HtmlPage,
  maybe,
  page,
  shape,
  text,
  word,
  type Html,
  type WebPage,
} from 'hexforge/plugin';
import { longestText } from 'hexforge/merges';
import { diffAlgorithms } from 'hexforge/repositories';
import { diff, empty, formError, urlWith } from 'hexforge/ui';
import type { AuthoredComment, MergeUseCases } from '#core/merges/use-cases';
import { reading, writing } from '../../params.ts';
import { changesBar, fileList } from './bar.ts';
import type { Thread } from '../comment-view.ts';
import { talkBody, talkTo } from '../forms.ts';
import { requestHead } from '../head.ts';
import { given, numberIn } from '../input.ts';
import { lineForm, wishIn } from './line-form.ts';
import { livePath, requestPage } from '../links.ts';
import { rendering, type PageParts } from '../markup.ts';
import { changedFile, highlighted } from './shown-files.ts';
import { talkForm } from '../talk-form.ts';
import { fileLooks, placeKey, unplaced } from './threads.ts';

const place = 'repository';
const path = '/merges/{number}/changes';
const mostComments = 500;

const query = shape({
  view: given(),
  algorithm: given(),
  whitespace: given(),
  since: given(),
  file: given(),
  full: given(),
  comment: given(),
  viewed: given(),
});

/** The path and query of the page of changes that a form was on, without the line that was commented. */
const backTo = (page: string, url: string): string =>
  urlWith(`${page}?${url.split('?', 2)[1] ?? ''}`, { comment: undefined });

/** The reason why there are no changes to be shown. @throws other errors */
function orReason(error: unknown): HexforgeError {
  if (error instanceof HexforgeError && (error.kind === 'unavailable' || error.kind === 'conflict')) return error;
  throw error;
}

export const changesPage = (merges: PageParts): WebPage =>
  page({
    ...reading,
    id: 'mergeChangesPage',
    summary: 'The changes of a merge request, with comments on their lines',
    place,
    path,
    query,
    forms: [
      form({
        ...writing,
        id: 'mergeReview',
        summary: 'Submits a review from the page of changes',
        place,
        path: `${path}/review`,
        body: talkBody,
        async run(_call, { granted, params, body }) {
          const number = numberIn(params);
          return requestPage(granted.resource, number) + (await talkTo(merges)(granted, number, body));
        },
      }),
      form({
        ...writing,
        id: 'mergeLineComment',
        summary: 'Comments on a file or line',
        place,
        path: `${path}/comments`,
        body: shape({
          body: word().max(longestText),
          commit_sha: word().pattern(/^[0-9a-f]{40}$/, 'commit id'),
          file_path: word().max(4096),
          line_number: maybe(text().pattern(/^\d{1,9}$/, 'line')),
          start_line: maybe(text().pattern(/^[1-9]\d{0,8}$/, 'line')),
        }),
        async run(_call, { granted, params, body, url }) {
          const number = numberIn(params);
          const { id } = await merges.comments.create(granted, {
            number,
            body: body.body,
            commitOid: body.commit_sha,
            filePath: body.file_path,
            lineNumber: body.line_number === undefined ? undefined : Number(body.line_number),
            startLine: body.start_line === undefined ? undefined : Number(body.start_line),
          });
          return `${backTo(requestPage(granted.resource, number, 'changes'), url)}#comment-${id}`;
        },
      }),
    ],
    async run(call, { granted, params, query: asked, refused }) {
      const repository = granted.resource;
      const number = numberIn(params);
      const here = requestPage(repository, number, 'changes');
      const url = urlWith(here, asked);
      const since = /^[0-9a-f]{40}$/.test(asked.since ?? '') ? asked.since : undefined;
      const algorithm = diffAlgorithms.find((one) => one === asked.algorithm);
      const [view, changes, talk, standing] = await Promise.all([
        merges.fetch(granted, { number, algorithm }),
        merges.changes(granted, { number, algorithm, since, path: asked.file }).catch(orReason),
        merges.talk(granted, { number, page: { page: 1, perPage: mostComments } }),
        merges.standing(granted, { number }),
      ]);
      if (changes instanceof HexforgeError)
        return new HtmlPage({
          title: `Changes of ${view.title} (!${String(number)})`,
          width: 'wide',
          live: livePath(repository, number),
          main: html`${requestHead(repository, view, 'changes', call.now)}
          ${empty(changes.message, html`${changes.detail} <a href="${url}">Load the page again</a>`)}`,
        });
      const anchored = talk.comments.filter(({ commitOid }) => commitOid !== null);
      const [places, bodies, looks] = await Promise.all([
        merges.places(granted, { number, anchors: anchored, commit: changes.to }),
        rendering(merges.markup, call, granted)(anchored.map(({ body }) => body)),
        highlighted(merges.markup, changes, call.signal),
      ]);
      const threads = threadsOf(anchored, bodies, places);
      const wish = standing.comment ? wishIn(asked.comment) : undefined;
      const split = asked.view === 'split';
      const files = changes.files.map((shown) => ({
        shown,
        file: changedFile(shown, {
          whitespace: asked.whitespace !== 'ignore',
          isAlone: asked.file !== undefined,
          isWhole: asked.file !== undefined && asked.full !== undefined,
        }),
      }));
      const byFile = new Map(files.map(({ file, shown }) => [file, shown]));
      const viewed = new Set((asked.viewed ?? '').split('.').filter((id) => /^f[0-9a-z]{1,20}$/.test(id)));
      const formFor = (place: { readonly path: string; readonly line: number | undefined }): Html | false =>
        wish?.path === place.path &&
        wish.line === place.line &&
        lineForm({ url, page: here, commit: changes.to, wish, refused });
      const used = new Set<Thread>();
      const talkedAbout = new Set(
        [...threads.placed.values(), ...(wish === undefined ? [] : [wish])].map((one) => one.path),
      );
      const shownThreads = { granted, request: view, threads: threads.placed, used, url, formFor };
      return new HtmlPage({
        title: `Changes of ${view.title} (!${String(number)})`,
        width: 'wide',
        live: livePath(repository, number),
        main: html`${requestHead(repository, view, 'changes', call.now)}
          ${changesBar({ url, view, changes, asked: { ...asked, since }, talk, caller: call.caller, mayReview: standing.comment })}
          ${formError(refused, 'mergeLineComment', 'body')}
          <div class="changes">
            <div id="merge-files" data-region>
              ${
                files.length > 1 &&
                fileList(
                  files.map(({ file }) => file),
                  viewed,
                )
              }
            </div>
            <div>
              ${await diff(
                files.map(({ file }) => file),
                {
                  view: split ? 'split' : 'unified',
                  isLive: true,
                  ...(asked.file !== undefined && { mostLines: 20_000 }),
                  alone: (file) => urlWith(url, { file: file.newPath, full: undefined, comment: undefined }),
                  of: (file) => {
                    const shown = byFile.get(file);
                    const hasText = (shown?.new ?? shown?.old) !== undefined;
                    const isWhole = asked.full !== undefined;
                    const { from, to } = changes;
                    return {
                      ...fileLooks(file, {
                        ...shownThreads,
                        commit: changes.to,
                        mayComment: standing.comment,
                        viewed,
                        isAlone: asked.file !== undefined,
                        isWhole,
                        hasText,
                        lines: [from, to, algorithm ?? '', asked.whitespace ?? '', isWhole && hasText],
                        talkedAbout,
                      }),
                      highlighted: shown === undefined ? {} : (looks.get(shown) ?? {}),
                    };
                  },
                },
              )}
              ${
                asked.file === undefined &&
                unplaced(shownThreads, [
                  ...[...threads.placed.values()].filter((thread) => !used.has(thread)),
                  ...threads.others,
                ])
              }
              ${
                standing.comment &&
                talkForm({
                  form: 'mergeReview',
                  action: requestPage(repository, number, 'changes/review'),
                  head: changes.to,
                  reviews: view.state === 'open',
                  refused,
                })
              }
            </div>
          </div>`,
      });
    },
  });

/** Comments on the same place are one thread. Those whose place no longer exists are threads of their old place. */
function threadsOf(
  comments: readonly AuthoredComment[],
  bodies: readonly Html[],
  places: Awaited<ReturnType<MergeUseCases['places']>>,
): { readonly placed: ReadonlyMap<string, Thread>; readonly others: readonly Thread[] } {
  const all = comments.map((comment, index) => {
    const at = places[index];
    return {
      comment,
      body: bodies[index] ?? html``,
      at,
      start: at === undefined ? (comment.startLine ?? undefined) : at.start,
    };
  });
  const grouped = (some: typeof all, key: (one: (typeof all)[number]) => string): readonly Thread[] =>
    [...Map.groupBy(some, key).values()].map((own): Thread => {
      const [first] = own;
      return {
        path: first?.at?.path ?? first?.comment.filePath ?? '',
        line: first?.at === undefined ? (first?.comment.lineNumber ?? undefined) : first.at.line,
        comments: own,
      };
    });
  return {
    placed: new Map(
      grouped(
        all.filter(({ at }) => at !== undefined),
        ({ at }) => `${String(at?.line)}:${at?.path ?? ''}`,
      ).map((thread) => [placeKey(thread), thread]),
    ),
    others: grouped(
      all.filter(({ at }) => at === undefined),
      ({ comment: { commitOid, lineNumber, filePath } }) =>
        `${commitOid ?? ''}:${String(lineNumber)}:${filePath ?? ''}`,
    ),
  };
}
