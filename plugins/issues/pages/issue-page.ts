// The page of one issue: timeline, form for a comment, and side column.
import {
  html,
  HtmlPage,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  type Html,
  type RefusedForm,
  type WebPage,
} from 'hexforge/plugin';
import {
  button,
  commentForm,
  dotted,
  formError,
  icon,
  label,
  linkButton,
  pagination,
  pill,
  plural,
  signInButton,
  statePill,
  time,
} from 'hexforge/ui';
import { issueParams, reading } from '../params.ts';
import { issueForms } from './issue-forms.ts';
import { issuePath, withQuery, type PageParts } from './links.ts';
import { issueSide } from './side.ts';
import { commentsPerPage, issueTimeline, type WholeIssue } from './timeline.ts';

/** Ancestors and sub-issues in the side column. */
const mostRelatives = 100;
/** The newest changes of the description in the timeline. */
const mostEdits = 10;

export const issuePage = (parts: PageParts): WebPage =>
  page({
    id: 'issuePage',
    summary: 'One issue with its timeline',
    place: 'repository',
    path: '/issues/{number}',
    ...reading,
    params: issueParams,
    query: shape({ page: pageQuery.page }),
    async run({ caller, now }, { granted, params: { number: reference }, query, refused }) {
      const { useCases } = parts;
      const repository = granted.resource;
      const issue = await useCases.fetch(granted, { number: reference });
      const number = String(issue.number);
      const mayChange = caller.kind === 'user' && (caller.id === issue.authorId || granted.may('issue.write'));
      const { page: current, perPage } = { ...readPage(pageRules.capped(), query), perPage: commentsPerPage };
      const first = { page: 1, perPage: mostEdits };
      const [comments, family, links, edits, choices] = await Promise.all([
        issue.commentsCount === 0 ? [] : useCases.comments.list(granted, { number, page: { page: current, perPage } }),
        useCases.family(granted, { issue, limit: mostRelatives + 1 }),
        issue.links === 0 ? [] : useCases.links.list(granted, { number }),
        useCases.descriptionHistory.list(granted, { number, page: first }),
        mayChange ? useCases.choices(granted) : undefined,
      ]);
      const isLast = current * perPage >= issue.commentsCount;
      const shown = { issue, comments, page: current, isLast, edits, links };
      const path = issuePath(repository, number);
      return new HtmlPage({
        title: `${issue.title} · #${number}`,
        width: 'wide',
        subject: { kind: 'issue', id: issue.id, repositoryId: repository.id },
        main: html`<div id="issue-head" data-region>
            ${issueHead(issue, now, mayChange && issuePath(repository, number, 'edit'))}
          </div>
          ${formError(refused, 'issueWatch')} ${formError(refused, 'issueLinkDelete')}
          <div id="issue-timeline" data-region>${await issueTimeline(parts, granted, shown)}</div>
          ${pagination(withQuery(path, { page: String(current) }), { page: current, perPage, total: issue.commentsCount })}
          ${
            caller.kind === 'user'
              ? talkForm(issue, {
                  action: issuePath(repository, number, 'comments'),
                  mayComment: !issue.locked || granted.may('issue.write'),
                  mayChange,
                  refused,
                })
              : signInButton('Sign in to comment', path)
          }`,
        aside: html`<div id="issue-side" data-region>
          ${issueSide(granted, {
            issue,
            family: family.slice(0, mostRelatives),
            isCut: family.length > mostRelatives,
            links,
            choices,
            planned: parts.planned,
            refused,
          })}
        </div>`,
      });
    },
    forms: issueForms(parts),
  });

const issueHead = (issue: WholeIssue, now: Date, edit: string | false): Html =>
  html`<div class="bar">
      <h1 class="grow"><bdi>${issue.title}</bdi> <span class="number">#${String(issue.number)}</span></h1>
      ${edit !== false && linkButton('Edit', edit, { key: 'e' })}
    </div>
    <p class="muted">
      ${statePill(issue.state)} ${issue.locked && pill('Locked', 'warning')}
      ${dotted([
        label(issue.type.displayName, issue.type.color),
        html`<b><bdi>${issue.author.username}</bdi></b> opened it ${time(issue.createdAt, now)}`,
        plural(issue.commentsCount, 'comment'),
        issue.blockedBy.some(({ state }) => state === 'open') && pill('Blocked', 'warning'),
      ])}
    </p>`;

interface Talking {
  readonly action: string;
  readonly mayComment: boolean;
  readonly mayChange: boolean;
  readonly refused: RefusedForm | undefined;
}

function talkForm({ state, locked }: WholeIssue, { action, mayComment, mayChange, refused }: Talking): Html {
  const move = state === 'open' ? (['Close', 'closed'] as const) : (['Reopen', 'open'] as const);
  const change = mayChange && button(move[0], { name: 'state', value: move[1] });
  const note =
    locked && html`<p class="muted">${icon('lock')} Only people who may change every issue can comment on it.</p>`;
  if (!mayComment)
    return html`<form class="talk-form" method="post" action="${action}">
      ${note} ${formError(refused, 'issueComment')}
      <div class="actions">${change}</div>
    </form>`;
  return commentForm({
    form: 'issueComment',
    action,
    hidden: note,
    buttons: html`${button('Comment', { kind: 'primary' })} ${change}`,
    refused,
  });
}
