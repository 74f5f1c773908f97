// The page for a new issue. The query of its address fills the form in; only the button sends it.
import {
  form,
  html,
  HtmlPage,
  Joi,
  maybe,
  NotFound,
  page,
  shape,
  ValidationFailed,
  word,
  type RefusedForm,
  type WebPage,
} from 'hexforge/plugin';
import { issueBounds } from 'hexforge/issues';
import { button, disclosure, empty, field, formError, linkButton, textArea, usernamesIn } from 'hexforge/ui';
import type { IssueChoices, IssueUseCases } from '#core/issues/use-cases';
import { writing } from '../params.ts';
import { markdown, memberBody, memberControls, numberIn, numberText, type MemberValues } from './fields.ts';
import { issuePath, issuesPath, type PageParts } from './links.ts';

const newBody = shape({
  ...memberBody,
  title: word().max(issueBounds.title),
  description: maybe(markdown()),
  parent_number: maybe(numberText()),
  assumptions: maybe(markdown()),
  acceptance_criteria: maybe(markdown()),
});

const given = () => maybe(Joi.string().empty('').max(issueBounds.text));
/** Names instead of ids, because people write such links. */
const prefillQuery = shape({
  title: given(),
  description: given(),
  type: given(),
  labels: given(),
  milestone: given(),
  assignees: given(),
  parent: given(),
  due_date: given(),
});
type Prefill = Readonly<Partial<Record<'type' | 'labels' | 'milestone' | 'assignees' | 'due_date', string>>>;

const sameName = (one: string, other = ''): boolean => one.toLowerCase() === other.trim().toLowerCase();

/** The values that the query names; unknown names are left out. */
function prefilled({ types, labels, milestones }: IssueChoices, query: Prefill): MemberValues {
  const wanted = query.labels?.split(',') ?? [];
  return {
    type: types.find(({ name }) => sameName(name, query.type)) ?? types.find(({ name }) => name === 'task') ?? types[0],
    labels: labels.filter(({ name }) => wanted.some((one) => sameName(name, one))),
    milestone: milestones.find(({ id, title }) => id === query.milestone || sameName(title, query.milestone)),
    assignees: usernamesIn(query.assignees),
    dueDate: query.due_date,
  };
}

const named = ['title', 'description', 'assignees', 'due_date', 'story_points', 'input_tokens', 'output_tokens'];

type Creating = Parameters<IssueUseCases['create']>;

/** The id of the parent, which people write as a number. @throws {ValidationFailed} */
async function parentId(useCases: IssueUseCases, granted: Creating[0], text: string | undefined) {
  if (text === undefined) return undefined;
  try {
    return (await useCases.fetch(granted, { number: String(numberIn(text)) })).id;
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    throw new ValidationFailed('There is no such parent', {
      detail: `"parent_number": the repository has no issue ${text}`,
    });
  }
}

export const newIssuePage = (parts: PageParts): WebPage =>
  page({
    id: 'issueNewPage',
    summary: 'A form for a new issue',
    place: 'repository',
    path: '/issues/new',
    ...writing,
    query: prefillQuery,
    async run(_call, { granted, query, refused }) {
      const repository = granted.resource;
      const choices = await parts.useCases.choices(granted);
      const shown = memberControls(choices, prefilled(choices, query), refused);
      const text = (name: 'title' | 'description'): string => query[name] ?? '';
      return new HtmlPage({
        title: 'New issue',
        width: 'wide',
        main: html`<h1>New issue</h1>
          ${
            choices.types.length === 0
              ? empty('This instance has no issue types')
              : html`<form method="post" action="${issuePath(repository, 'new')}">
                  ${formError(refused, 'issueNew', ...named, 'parent_number')}
                  <div class="split">
                    <div>
                      ${field({ label: 'Title', name: 'title', required: true, value: text('title'), refused })}
                      ${textArea({ label: 'Description', name: 'description', rows: 16, value: text('description'), hint: 'Markdown', refused })}
                      ${disclosure(
                        'More',
                        html`<div class="columns">${shown.status()} ${shown.estimate()}</div>
                          <div class="columns">${shown.components()} ${shown.versions()}</div>
                          ${textArea({ label: 'Assumptions', name: 'assumptions', rows: 3, refused })}
                          ${textArea({ label: 'Acceptance criteria', name: 'acceptance_criteria', rows: 3, refused })}`,
                        { open: refused !== undefined },
                      )}
                    </div>
                    <div>
                      ${shown.type()} ${shown.assignees()}
                      ${parts.planned && html`${shown.labels()} ${shown.milestone()}`} ${shown.due()}
                      ${parentField(query.parent, refused)}
                    </div>
                  </div>
                  <p class="actions">
                    ${button('Open issue', { kind: 'primary' })} ${linkButton('Cancel', issuesPath(repository))}
                  </p>
                </form>`
          }`,
      });
    },
    forms: [
      form({
        id: 'issueNew',
        summary: 'Opens an issue',
        place: 'repository',
        path: '/issues/new',
        ...writing,
        body: newBody,
        async run(_call, { granted, body }) {
          const { useCases } = parts;
          if (body.issue_type_id === undefined)
            throw new ValidationFailed('An issue needs a type', { detail: '"issue_type_id" is required' });
          const assignees = await useCases.usersNamed(granted, usernamesIn(body.assignees));
          const { number } = await useCases.create(granted, {
            title: body.title,
            typeId: body.issue_type_id,
            description: body.description ?? '',
            status: body.issue_status ?? 'queued',
            priority: body.priority ?? 'none',
            assigneeIds: assignees.map(({ id }) => id),
            parentId: await parentId(useCases, granted, body.parent_number),
            labelIds: body.label_ids,
            milestoneId: body.milestone_id ?? null,
            componentIds: body.component_ids,
            fixVersionIds: body.fix_version_ids,
            affectsVersionIds: body.affects_version_ids,
            dueDate: body.due_date ?? null,
            storyPoints: body.story_points ?? null,
            inputTokens: body.input_tokens ?? null,
            outputTokens: body.output_tokens ?? null,
            assumptions: body.assumptions ?? null,
            acceptanceCriteria: body.acceptance_criteria ?? null,
          });
          return issuePath(granted.resource, number);
        },
      }),
    ],
  });

const parentField = (parent: string | undefined, refused: RefusedForm | undefined) =>
  field({ label: 'Parent', name: 'parent_number', value: parent, placeholder: '#12', refused });
