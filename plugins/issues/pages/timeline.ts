// The timeline of an issue: its description, comments, links and changes of the description, in the order of time.
import { html, type Granted, type Html, type HtmlPiece } from 'hexforge/plugin';
import type { CommentView, DescriptionEditView, IssueDetail, IssueView, LinkType, LinkView } from 'hexforge/issues';
import type { Repository } from 'hexforge/repositories';
import { change, comment, commented, dotted, icon, person, time, timeline } from 'hexforge/ui';
import { issuePath, type PageParts } from './links.ts';
import { issueLink, stateMark } from './marks.ts';

/** Comments of one page. Each can have 65,536 characters. */
export const commentsPerPage = 30;

export type WholeIssue = IssueView & IssueDetail;
type Reading = Granted<Repository, 'issue.read'>;

/** The words for a link, from its source and from its target. */
export const linkWords: Readonly<Record<LinkType, readonly [source: string, target: string]>> = {
  blocks: ['blocks', 'is blocked by'],
  relates_to: ['relates to', 'relates to'],
  duplicates: ['duplicates', 'is duplicated by'],
};

/** A link as this issue sees it. */
export const linkFrom = (issueId: string, { type, sourceId, source, target }: LinkView) =>
  sourceId === issueId ? { verb: linkWords[type][0], other: target } : { verb: linkWords[type][1], other: source };

export interface TimelineContent {
  readonly issue: WholeIssue;
  /** One page of comments, the oldest first. */
  readonly comments: readonly CommentView[];
  /** The number of the page. */
  readonly page: number;
  readonly isLast: boolean;
  readonly edits: readonly DescriptionEditView[];
  readonly links: readonly LinkView[];
}

interface Entry {
  readonly at: Date;
  readonly shown: Html;
}

/** The Markdown of all texts of the page, rendered in one call. */
async function rendered(
  { markup }: Pick<PageParts, 'markup'>,
  { resource, call, may }: Reading,
  texts: readonly string[],
): Promise<readonly Html[]> {
  const repository = { id: resource.id, owner: resource.owner, name: resource.name, may };
  return (
    (await markup?.markdown(texts, { call, repository, breaks: true })) ??
    texts.map((text) => html`<pre class="text">${text}</pre>`)
  );
}

const titled = (title: string, text: string | null, shown: Html | undefined): Html | false =>
  text !== null &&
  html`<h2>${title}</h2>
    ${shown}`;

export async function issueTimeline(
  parts: Pick<PageParts, 'markup'>,
  granted: Reading,
  { issue, comments, page, isLast, edits, links }: TimelineContent,
): Promise<Html> {
  const { resource: repository, call } = granted;
  const { now, caller } = call;
  const isFirst = page === 1;
  const at = page > 1 ? `?page=${String(page)}` : '';
  const own = isFirst ? [issue.description, issue.assumptions ?? '', issue.acceptanceCriteria ?? ''] : [];
  const all = await rendered(parts, granted, [...own, ...comments.map(({ body }) => body)]);
  const [description, assumptions, criteria] = all;
  const bodies = all.slice(own.length);

  const entries: Entry[] = comments.map((one, index) => {
    const mine = caller.kind === 'user' && (caller.id === one.authorId || caller.isAdmin);
    return {
      at: one.createdAt,
      shown: comment({
        id: `comment-${one.id}`,
        author: one.author.username,
        head: commented(one, now),
        actions:
          mine &&
          html`<a class="quiet" href="${issuePath(repository, issue.number, `comments/${one.id}`)}${at}">Edit</a>`,
        body: bodies[index],
      }),
    };
  });
  const line = (at: Date, mark: HtmlPiece, text: HtmlPiece): number =>
    entries.push({ at, shown: change(mark, html`${text} ${time(at, now)}`) });
  for (const { id, editor, editedAt } of edits)
    line(
      editedAt,
      icon('file'),
      html`${person(editor.username)} changed the
        <a href="${issuePath(repository, issue.number, `history/${id}`)}">description</a>`,
    );
  for (const link of links) {
    const { verb, other } = linkFrom(issue.id, link);
    line(link.createdAt, icon('link'), html`A link was added: ${verb} ${issueLink(repository, other)}`);
  }
  if (issue.closedAt !== null) line(issue.closedAt, stateMark('closed'), 'The issue was closed');

  // Each page has the changes between its comments and those of its neighbours.
  const from = isFirst ? undefined : comments[0]?.createdAt;
  const until = isLast ? undefined : comments.at(-1)?.createdAt;
  const within = entries
    .filter(({ at }) => (from === undefined || at >= from) && (until === undefined || at <= until))
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const first =
    isFirst &&
    comment({
      id: 'description',
      author: issue.author.username,
      head: dotted([
        html`opened ${time(issue.createdAt, now)}`,
        edits.length > 0 && html`<a href="${issuePath(repository, issue.number, 'history')}">edited</a>`,
      ]),
      body: html`${issue.description === '' ? html`<p class="muted">No description</p>` : description}
      ${titled('Assumptions', issue.assumptions, assumptions)}
      ${titled('Acceptance criteria', issue.acceptanceCriteria, criteria)}`,
    });
  return timeline([...(first === false ? [] : [first]), ...within.map(({ shown }) => shown)]);
}
