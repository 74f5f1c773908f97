// The side column of an issue. Each part has the form that changes it, closed at first.
import { html, type Granted, type Html, type HtmlPiece, type RefusedForm } from 'hexforge/plugin';
import { isOverdue, dayOf, linkTypes, type LinkView, type Relative } from 'hexforge/issues';
import type { Repository } from 'hexforge/repositories';
import { button, field, formError, label, person, pill, select, shownValues, sidePart, time } from 'hexforge/ui';
import type { IssueChoices } from '#core/issues/use-cases';
import { familyPart } from './family.ts';
import { memberControls } from './fields.ts';
import { issuePath, issuesPath, within, withQuery } from './links.ts';
import { issueLink, words } from './marks.ts';
import { linkFrom, linkWords, type WholeIssue } from './timeline.ts';

export interface SideContent {
  readonly issue: WholeIssue;
  readonly family: readonly Relative[];
  /** Whether the family has more issues. */
  readonly isCut: boolean;
  readonly links: readonly LinkView[];
  /** Undefined for callers who may not change the issue. */
  readonly choices: IssueChoices | undefined;
  readonly planned: boolean;
  readonly refused: RefusedForm | undefined;
}

const orNothing = (shown: readonly Html[]): HtmlPiece => (shown.length === 0 ? undefined : shown);

export function issueSide(
  { resource: repository, call, may }: Granted<Repository, 'issue.read'>,
  { issue, family, isCut, links, choices, planned, refused }: SideContent,
): Html {
  const { caller, now } = call;
  const path = (part: string): string => issuePath(repository, issue.number, part);
  const filtered = (name: string, value: string): string => withQuery(issuesPath(repository), { [name]: value });

  /** A part whose form sends to the path `fields`. An empty one is shown to those who can change it. */
  const part = (
    name: string,
    title: string,
    shown: HtmlPiece,
    controls: (all: ReturnType<typeof memberControls>) => Html,
  ): Html | false => {
    if (choices === undefined && shown === undefined) return false;
    const several = membersOf(issue, name);
    const mine = refused?.form === 'issueFields' && refused.values['part'] === name ? refused : undefined;
    return sidePart(
      title,
      shown,
      choices &&
        html`<form method="post" action="${path('fields')}">
          <input type="hidden" name="part" value="${name}" />
          ${several && shownValues(several, mine)}
          ${formError(mine, 'issueFields', 'assignees', 'due_date', 'story_points', 'input_tokens', 'output_tokens')}
          ${controls(memberControls(choices, { ...issue, assignees: issue.assignees.map(({ username }) => username) }, mine))}
          ${button('Save')}
        </form>`,
      mine !== undefined,
    );
  };
  const names = (title: string, all: readonly { readonly name: string }[], filter: string): Html | false =>
    all.length > 0 &&
    html`<p>
      ${title !== '' && html`<span class="quiet">${title}</span> `}
      ${all.map(({ name }) => html`<a href="${filtered(filter, name)}"><bdi>${name}</bdi></a> `)}
    </p>`;
  const amount = (title: string, value: number | null): Html | false =>
    value !== null && html`<p>${value.toLocaleString('en')} <span class="quiet">${title}</span></p>`;

  const { milestone, dueDate, fixVersions, affectsVersions, components } = issue;
  const mayMove = caller.kind === 'user' && (may('repo.own') || caller.id === issue.authorId);
  const late = isOverdue(issue, dayOf(now));
  const estimated = [issue.storyPoints, issue.inputTokens, issue.outputTokens].some((value) => value !== null);
  const hasVersions = fixVersions.length + affectsVersions.length > 0;
  return html`
    ${part(
      'assignees',
      'Assignees',
      orNothing(issue.assignees.map(({ username }) => html`<p>${person(username)}</p>`)),
      (all) => all.assignees(),
    )}
    ${
      planned &&
      part(
        'labels',
        'Labels',
        orNothing(
          issue.labels.map(
            ({ name, color, description }) =>
              html`<a class="bare" href="${filtered('label', name)}">${label(name, color, description ?? '')}</a> `,
          ),
        ),
        (all) => all.labels(),
      )
    }
    ${part('type', 'Type', html`<p>${label(issue.type.displayName, issue.type.color)}</p>`, (all) => all.type())}
    ${part(
      'status',
      'Status',
      html`<p>
        ${pill(words(issue.status), issue.status === 'blocked' ? 'warning' : 'neutral')}
        ${issue.priority !== 'none' && pill(`${words(issue.priority)} priority`, issue.priority === 'critical' ? 'bad' : 'accent')}
      </p>`,
      (all) => all.status(),
    )}
    ${
      planned &&
      part(
        'milestone',
        'Milestone',
        milestone === null
          ? undefined
          : html`<p>
              <a href="${within(repository, `milestones/${milestone.id}`)}"><bdi>${milestone.title}</bdi></a>
            </p>`,
        (all) => all.milestone(),
      )
    }
    ${part(
      'due',
      'Due date',
      dueDate === null ? undefined : html`<p>${dueDate} ${late && pill('Overdue', 'bad')}</p>`,
      (all) => all.due(),
    )}
    ${familyPart(repository, issue, {
      family,
      isCut,
      edit: mayMove ? parentForm(issue, path('parent'), refused) : undefined,
      open: refused?.form === 'issueParent',
      mayAdd: caller.kind === 'user',
    })}
    ${
      (links.length > 0 || may('issue.write')) &&
      sidePart(
        'Links',
        linkList(repository, issue, links, may('issue.write'), path('links/delete')),
        may('issue.write') ? linkForm(path('links'), refused) : undefined,
        refused?.form === 'issueLinkAdd',
      )
    }
    ${part('components', 'Components', names('', components, 'component') || undefined, (all) => all.components())}
    ${part(
      'versions',
      'Versions',
      hasVersions
        ? html`${names('Fixed in', fixVersions, 'fix_version')} ${names('Affects', affectsVersions, 'affects_version')}`
        : undefined,
      (all) => all.versions(),
    )}
    ${part(
      'estimate',
      'Estimate and tokens',
      estimated
        ? html`${amount('story points', issue.storyPoints)} ${amount('input tokens', issue.inputTokens)}
          ${amount('output tokens', issue.outputTokens)}`
        : undefined,
      (all) => all.estimate(),
    )}
    ${sidePart(
      'Watching',
      html`<p class="quiet">
          ${String(issue.watchers)} ${issue.watchers === 1 ? 'person watches' : 'people watch'} this issue
        </p>
        ${
          caller.kind === 'user' &&
          html`<form method="post" action="${path('watching')}">
            ${button(issue.watching ? 'Stop watching' : 'Watch', { name: 'watch', value: String(!issue.watching) })}
          </form>`
        }`,
    )}
    ${
      (may('issue.write') || may('repo.own')) &&
      sidePart(
        'Manage',
        html`<div class="actions">
          ${
            may('issue.write') &&
            html`<form method="post" action="${path('fields')}">
              <input type="hidden" name="part" value="lock" />
              ${button(issue.locked ? 'Unlock' : 'Lock', { name: 'locked', value: String(!issue.locked) })}
            </form>`
          }
          ${may('repo.own') && html`<a class="button danger" href="${path('delete')}">Delete…</a>`}
        </div>`,
      )
    }
    <section>
      <p class="quiet">Last changed ${time(issue.updatedAt, now)}</p>
    </section>
  `;
}

/** The members of the parts that have several. */
const membersOf = (
  { status, priority, storyPoints, inputTokens, outputTokens, ...issue }: WholeIssue,
  part: string,
): Parameters<typeof shownValues>[0] | undefined => {
  if (part === 'status') return { status, priority };
  if (part === 'estimate') return { storyPoints, inputTokens, outputTokens };
  if (part !== 'versions') return undefined;
  const ids = (all: readonly { readonly id: string }[]): readonly string[] => all.map(({ id }) => id);
  return { fixVersionIds: ids(issue.fixVersions), affectsVersionIds: ids(issue.affectsVersions) };
};

const parentForm = (issue: WholeIssue, action: string, refused: RefusedForm | undefined): Html =>
  html`<form method="post" action="${action}">
    ${formError(refused, 'issueParent', 'parent_number')}
    ${field({
      label: 'Parent',
      name: 'parent_number',
      value: issue.parent === null ? '' : `#${issue.parent.number}`,
      hint: 'The number of an issue; empty for none',
      refused: refused?.form === 'issueParent' ? refused : undefined,
    })}
    ${button('Save')}
  </form>`;

const linkList = (
  repository: Repository,
  issue: WholeIssue,
  links: readonly LinkView[],
  mayRemove: boolean,
  action: string,
): HtmlPiece =>
  links.length === 0
    ? undefined
    : html`<ul class="tree">
        ${links.map((link) => {
          const { verb, other } = linkFrom(issue.id, link);
          return html`<li>
            <span class="quiet">${verb}</span> ${issueLink(repository, other)}
            ${
              mayRemove &&
              html`<form class="inline" method="post" action="${action}">
                <button
                  class="link"
                  name="id"
                  value="${link.id}"
                  aria-label="Remove the link to #${String(other.number)}"
                >
                  Remove
                </button>
              </form>`
            }
          </li>`;
        })}
      </ul>`;

function linkForm(action: string, refused: RefusedForm | undefined): Html {
  const mine = refused?.form === 'issueLinkAdd' ? refused : undefined;
  return html`<form method="post" action="${action}">
    ${formError(mine, 'issueLinkAdd', 'target_number')}
    ${select({ label: 'This issue', name: 'type', choices: linkTypes.map((value) => ({ value, label: linkWords[value][0] })), refused: mine })}
    ${field({ label: 'Issue', name: 'target_number', placeholder: '#12', required: true, refused: mine })}
    ${button('Add link')}
  </form>`;
}
