// The timeline of a merge request: description, commits, comments, reviews, and its end.
import { html, type Granted, type Html } from 'hexforge/plugin';
import type { MergeView } from 'hexforge/merges';
import type { CommitRecord, Repository } from 'hexforge/repositories';
import { change, comment, commented, icon, person, pill, time, timeline } from 'hexforge/ui';
import type { AuthoredComment, AuthoredReview, MergeTalk } from '#core/merges/use-cases';
import { talkActions } from './comment-view.ts';
import { commitPage, requestPage } from './links.ts';
import { branch, reviewWords } from './marks.ts';
import type { Rendered } from './markup.ts';

interface Entry {
  readonly at: Date;
  readonly shown: Html;
}

export interface Told {
  readonly view: MergeView;
  readonly talk: MergeTalk;
  /** The newest first. */
  readonly commits: readonly CommitRecord[];
  /** The query of the page. */
  readonly query: string;
  /** Whether the caller may change the description. */
  readonly mayChange: boolean;
}

export async function timelineOf(
  granted: Granted<Repository, 'repo.read'>,
  { view, talk, commits, query, mayChange }: Told,
  render: Rendered,
): Promise<Html> {
  const { resource: repository, call } = granted;
  const { now } = call;
  const spoken = talk.reviews.filter(({ submittedAt }) => submittedAt !== null);
  const texts = [view.description, ...talk.comments.map(({ body }) => body), ...spoken.map(({ body }) => body)];
  const [description, ...rest] = await render(texts);
  const [ofComments, ofReviews] = [rest.slice(0, talk.comments.length), rest.slice(talk.comments.length)];
  const entries: readonly Entry[] = [
    ...commits.map((commit) => commitEntry(repository, commit, now)),
    ...talk.comments.map((one, index) =>
      commentEntry(granted, view, one, { query, body: ofComments[index] ?? html`` }),
    ),
    ...talk.reviews.flatMap((review) => askedEntry(review, now)),
    ...spoken.map((review, index) => reviewEntry(repository, view, review, ofReviews[index] ?? html``, now)),
    ...endEntry(repository, view, talk, now),
  ].toSorted((one, other) => one.at.getTime() - other.at.getTime());
  return timeline([
    comment({
      id: 'description',
      author: view.author.username,
      head: html`opened this ${time(view.createdAt, now)}`,
      actions:
        mayChange &&
        html`<a class="quiet" href="${requestPage(repository, view.number, 'edit')}" data-key="e">Edit</a>`,
      body: view.description.trim() === '' ? html`<p class="muted">No description</p>` : description,
    }),
    ...entries.map(({ shown }) => shown),
  ]);
}

function commitEntry(repository: Repository, { oid, message, author, committer }: CommitRecord, now: Date): Entry {
  const [subject = ''] = message.split('\n', 1);
  return {
    at: committer.date,
    shown: change(
      icon('branch'),
      html`<b><bdi>${author.name}</bdi></b> committed
        <a href="${commitPage(repository, oid)}"><code>${oid.slice(0, 7)}</code> <bdi>${subject}</bdi></a>
        ${time(committer.date, now)}`,
    ),
  };
}

function commentEntry(
  granted: Granted<Repository, 'repo.read'>,
  view: MergeView,
  one: AuthoredComment,
  { query, body }: { readonly query: string; readonly body: Html },
): Entry {
  const { resource: repository, call } = granted;
  const { filePath, lineNumber, startLine, commitOid, createdAt, resolved, outdated } = one;
  const place =
    filePath === null
      ? commitOid !== null &&
        html`on <a href="${commitPage(repository, commitOid)}"><code>${commitOid.slice(0, 7)}</code></a>`
      : html`on
          <a href="${requestPage(repository, view.number, 'changes')}#comment-${one.id}"
            ><bdi>${filePath}</bdi
            >${lineNumber !== null && `:${startLine === null ? '' : `${String(startLine)}–`}${String(lineNumber)}`}</a
          >`;
  return {
    at: createdAt,
    shown: comment({
      id: `comment-${one.id}`,
      author: one.author.username,
      head: html`${commented(one, call.now)} ${place} ${resolved && pill('resolved', 'good')}
      ${outdated === true && pill('outdated')}`,
      actions: talkActions(granted, view, one, { part: 'overview', query }),
      body,
    }),
  };
}

const askedEntry = ({ user, requestedAt }: AuthoredReview, now: Date): readonly Entry[] =>
  requestedAt === null
    ? []
    : [
        {
          at: requestedAt,
          shown: change('·', html`${person(user.username)} was asked for a review ${time(requestedAt, now)}`),
        },
      ];

const verbs = { approved: 'approved these changes', changes_requested: 'asked for changes', pending: '' } as const;
const signs = {
  approved: html`<span class="plus">✓</span>`,
  changes_requested: html`<span class="warn">!</span>`,
  pending: '',
} as const;

function reviewEntry(
  repository: Repository,
  view: MergeView,
  { id, user, state, commitOid, submittedAt, body: said }: AuthoredReview,
  body: Html,
  now: Date,
): Entry {
  const at = submittedAt ?? view.createdAt;
  const earlier =
    commitOid !== null &&
    commitOid !== view.headOid &&
    html`· <a href="${requestPage(repository, view.number, `changes?since=${commitOid}`)}">changes since then</a>`;
  const head = html`${verbs[state]} ${time(at, now)} ${earlier}`;
  return {
    at,
    shown:
      said.trim() === ''
        ? change(signs[state], html`${person(user.username)} ${head}`)
        : comment({
            id: `review-${id}`,
            author: user.username,
            head: html`${head} ${pill(reviewWords[state][0], reviewWords[state][1])}`,
            body,
          }),
  };
}

function endEntry(
  repository: Repository,
  { state, mergedAt, closedAt, mergeCommit, targetBranch }: MergeView,
  { mergedBy }: MergeTalk,
  now: Date,
): readonly Entry[] {
  if (state === 'merged' && mergedAt !== null)
    return [
      {
        at: mergedAt,
        shown: change(
          html`<span class="state merged">${icon('branch')}</span>`,
          html`${mergedBy === undefined ? 'A push' : person(mergedBy.username)} merged it into
          ${branch(targetBranch, repository)}
          ${mergeCommit !== null && html`as <a href="${commitPage(repository, mergeCommit)}"><code>${mergeCommit.slice(0, 7)}</code></a>`}
          ${time(mergedAt, now)}`,
        ),
      },
    ];
  if (state === 'closed' && closedAt !== null)
    return [
      {
        at: closedAt,
        shown: change(html`<span class="minus">×</span>`, html`The merge request was closed ${time(closedAt, now)}`),
      },
    ];
  return [];
}
