// Issues in lists: the mark of the state, the row, and words for states.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';
import { isOverdue, dayOf, type IssueState, type IssueView, type LinkedIssue } from 'hexforge/issues';
import type { Repository } from 'hexforge/repositories';
import { avatar, dotted, icon, label, list, plural, time, type Row } from 'hexforge/ui';
import { issuePath, issuesPath, withQuery } from './links.ts';

const stateTitles = { open: 'Open', closed: 'Closed' } as const;

/** A filled circle for open, a ring with a tick for closed. */
export const stateMark = (state: IssueState): Html =>
  html`<svg class="icon state ${state === 'open' ? state : 'done'}" viewBox="0 0 16 16" role="img">
    <title>${stateTitles[state]}</title>
    ${
      state === 'open'
        ? html`<circle cx="8" cy="8" r="5" fill="currentColor" />`
        : html`<circle cx="8" cy="8" r="6" /><path d="M5.500 8l2 2 3-4" />`
    }
  </svg>`;

/** `in_progress` as `In progress`. */
export const words = (value: string): string => value.slice(0, 1).toUpperCase() + value.slice(1).replaceAll('_', ' ');

/** A link to another issue of the repository, with its state. */
export const issueLink = (
  repository: Repository,
  { number, title, state }: Pick<LinkedIssue, 'number' | 'title'> & { readonly state?: IssueState },
): Html =>
  html`${state !== undefined && stateMark(state)} <a href="${issuePath(repository, number)}"><bdi>${title}</bdi></a>
    <span class="quiet">#${String(number)}</span>`;

function issueRow(repository: Repository, issue: IssueView, now: Date): Row {
  const { number, title, state, type, author, createdAt, milestone, dueDate, childrenCount, commentsCount } = issue;
  return {
    mark: stateMark(state),
    title: html`<a href="${issuePath(repository, number)}"><bdi>${title}</bdi></a> ${issue.labels.map(
        ({ name, color, description }) =>
          html` <a class="bare" href="${withQuery(issuesPath(repository), { label: name })}"
            >${label(name, color, description ?? '')}</a
          >`,
      )}`,
    about: dotted([
      `#${number}`,
      html`<bdi>${type.displayName}</bdi>`,
      html`opened by <bdi>${author.username}</bdi> ${time(createdAt, now)}`,
      issue.priority !== 'none' && `${words(issue.priority)} priority`,
      issue.status !== 'queued' && words(issue.status),
      milestone !== null && html`in <bdi>${milestone.title}</bdi>`,
      dueDate !== null &&
        (isOverdue(issue, dayOf(now)) ? html`<span class="overdue">overdue since ${dueDate}</span>` : `due ${dueDate}`),
      childrenCount > 0 && plural(childrenCount, 'sub-issue'),
      issue.locked && 'locked',
    ]),
    end: html`<span class="people">
      ${issue.assignees
        .slice(0, 3)
        .map(
          ({ username }) =>
            html`<span title="${username}">${avatar(username)}<span class="skip">Assigned to ${username}</span></span>`,
        )}
      ${issue.assignees.length > 3 && `+${issue.assignees.length - 3}`}
      ${commentsCount > 0 && html`<span>${icon('comment', 'Comments')} ${String(commentsCount)}</span>`}
    </span>`,
  };
}

/** @param none shown in place of no issues. */
export const issueRows = (
  repository: Repository,
  issues: readonly IssueView[],
  now: Date,
  head?: HtmlPiece,
  none?: Html,
): Html =>
  list(
    issues.map((issue) => issueRow(repository, issue, now)),
    head,
    none,
  );
