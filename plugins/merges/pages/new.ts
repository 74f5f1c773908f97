// The page that opens a merge request: chooses the branches, shows what would be merged, and has the form.
import {
  changes,
  form,
  html,
  HtmlPage,
  HexforgeError,
  maybe,
  page,
  shape,
  text,
  uuid,
  word,
  type Html,
  type RefusedForm,
  type WebPage,
} from 'hexforge/plugin';
import { mergeBounds } from 'hexforge/merges';
import type { Repository } from 'hexforge/repositories';
import {
  button,
  checkBox,
  disclosure,
  empty,
  field,
  formError,
  notice,
  picks,
  select,
  textArea,
  label,
  usernamesIn,
} from 'hexforge/ui';
import type { MergeUseCases } from '#core/merges/use-cases';
import { own } from '../params.ts';
import { given, people, ticked, uuids } from './input.ts';
import { newPage, requestPage } from './links.ts';
import { previewView } from './preview-view.ts';

const place = 'repository';

/** As prepare-url writes them. */
const query = shape({
  source_branch: given(),
  target_branch: given(),
  title: maybe(text()),
  description: maybe(text()),
  draft: maybe(text()),
});

type Choices = Awaited<ReturnType<MergeUseCases['choices']>>;
type Branches = Awaited<ReturnType<MergeUseCases['branchChoices']>>;

export const newRequestPage = (merges: MergeUseCases): WebPage =>
  page({
    id: 'mergeNewPage',
    summary: 'The form that opens a merge request, with the commits and files that would be in it',
    place,
    path: '/merges/new',
    access: changes('repository', 'repo.read'),
    scope: 'repo.read',
    query,
    forms: [
      form({
        ...own,
        id: 'mergeOpenForm',
        summary: 'Opens a merge request',
        place,
        path: '/merges/new',
        body: shape({
          source_branch: word(),
          target_branch: word(),
          title: word().max(mergeBounds.title),
          description: maybe(text().max(mergeBounds.description)),
          draft: ticked(),
          reviewers: people(),
          assignees: people(),
          labels: uuids(),
          milestone: maybe(uuid()),
        }),
        async run(_call, { granted, body }) {
          const idsOf = async (member: 'reviewers' | 'assignees') =>
            (await merges.usersNamed(granted, { member, usernames: usernamesIn(body[member]) })).map(({ id }) => id);
          const [reviewerIds, assigneeIds] = await Promise.all([idsOf('reviewers'), idsOf('assignees')]);
          const { number } = await merges.open(granted, {
            source: body.source_branch,
            targetBranch: body.target_branch,
            title: body.title,
            description: body.description,
            isDraft: body.draft === 'true',
            labelIds: body.labels,
            milestoneId: body.milestone,
            reviewerIds,
            assigneeIds,
          });
          return requestPage(granted.resource, number);
        },
      }),
    ],
    async run(call, { granted, query: asked, refused }) {
      const repository = granted.resource;
      const [branches, choices] = await Promise.all([merges.branchChoices(granted), merges.choices(granted)]);
      const sent = (name: string): string | undefined => {
        const value = refused?.values[name];
        return typeof value === 'string' && value !== '' ? value : undefined;
      };
      const source = sent('source_branch') ?? asked.source_branch ?? '';
      const target = sent('target_branch') ?? asked.target_branch ?? repository.defaultBranch;
      const preview =
        source === ''
          ? undefined
          : await merges.preview(granted, { source, targetBranch: target }).catch((error: unknown) => {
              if (error instanceof HexforgeError && ['validation_failed', 'forbidden'].includes(error.kind))
                return error;
              throw error;
            });
      return new HtmlPage({
        title: 'New merge request',
        width: 'wide',
        main: html`<h1>New merge request</h1>
          ${branchForm(repository, branches, source, target)}
          ${
            preview instanceof HexforgeError
              ? notice(html`<b>${preview.message}</b> ${preview.detail}`, true)
              : preview !== undefined && preview.openNumber !== undefined
                ? notice(
                    html`These branches have an open merge request:
                      <a href="${requestPage(repository, preview.openNumber)}">!${String(preview.openNumber)}</a>`,
                  )
                : preview !== undefined &&
                  openForm(repository, {
                    source,
                    target,
                    asked,
                    choices,
                    refused,
                    subject: subjectOf(preview.commits?.items),
                  })
          }
          ${preview !== undefined && !(preview instanceof HexforgeError) && (await previewView(repository, preview, call.now))}
          ${
            preview === undefined &&
            (branches.sources.length === 0
              ? nothingToMerge(repository)
              : html`<p class="quiet">Choose the branch with the changes to see its commits and files.</p>`)
          }`,
      });
    },
  });

/** The subject of the only commit, which is a good title. */
const subjectOf = (commits: readonly { readonly message: string }[] = []): string =>
  commits.length === 1 ? (commits[0]?.message.split('\n', 1)[0] ?? '').slice(0, mergeBounds.title) : '';

const nothingToMerge = ({ owner, name }: Repository): Html =>
  empty(
    'You have no branch to merge from',
    html`<p>Fork this repository, or ask <bdi>${owner}</bdi> to let you push to <bdi>${name}</bdi>.</p>`,
  );

/** A selection; a line of text if there are too many branches to choose from, or the given one is not among them. */
function branchField(name: string, title: string, value: string, names: readonly string[], truncated: boolean): Html {
  if (truncated || names.length === 0)
    return field({
      label: title,
      name,
      id: `choose-${name}`,
      value,
      hint: 'A branch; OWNER:BRANCH if it is of a fork',
    });
  const all = value === '' || names.includes(value) ? names : [value, ...names];
  const choices = all.map((one) => ({ value: one, label: one }));
  return select({
    label: title,
    name,
    id: `choose-${name}`,
    value,
    choices: value === '' ? [{ value: '', label: 'Choose a branch' }, ...choices] : choices,
  });
}

const branchForm = (
  repository: Repository,
  { sources, targets, truncated }: Branches,
  source: string,
  target: string,
): Html =>
  html`<form class="branch-form" method="get" action="${newPage(repository)}">
    ${branchField('source_branch', 'From', source, sources, truncated)}
    ${branchField('target_branch', 'Into', target, targets, truncated)}
    <button class="button">Compare</button>
  </form>`;

interface OpenForm {
  readonly source: string;
  readonly target: string;
  readonly asked: { readonly title?: string; readonly description?: string; readonly draft?: string };
  readonly choices: Choices;
  readonly refused: RefusedForm | undefined;
  readonly subject: string;
}

function openForm(repository: Repository, { source, target, asked, choices, refused, subject }: OpenForm): Html {
  const some = ['reviewers', 'assignees', 'labels', 'milestone'].some((name) => refused?.values[name] !== undefined);
  return html`<form class="narrow-form" method="post" action="${newPage(repository)}">
    ${formError(refused, 'mergeOpenForm', 'title', 'description', 'reviewers', 'assignees')}
    <input type="hidden" name="source_branch" value="${source}" />
    <input type="hidden" name="target_branch" value="${target}" />
    ${field({ label: 'Title', name: 'title', value: asked.title ?? subject, required: true, refused })}
    ${textArea({ label: 'Description', name: 'description', value: asked.description ?? '', hint: 'Markdown', refused })}
    ${checkBox({ label: 'Draft', name: 'draft', value: asked.draft === 'true', hint: 'A draft cannot be merged', refused })}
    ${disclosure(
      choices.labels.length + choices.milestones.length > 0
        ? 'Reviewers, assignees, labels, milestone'
        : 'Reviewers, assignees',
      html`${field({ label: 'Reviewers', name: 'reviewers', hint: 'Usernames, with spaces between', refused })}
      ${field({ label: 'Assignees', name: 'assignees', hint: 'Usernames, with spaces between', refused })}
      ${
        choices.labels.length > 0 &&
        picks({
          label: 'Labels',
          name: 'labels',
          values: [],
          choices: choices.labels.map(({ id, name, color }) => ({ value: id, label: name, shown: label(name, color) })),
          refused,
        })
      }
      ${
        choices.milestones.length > 0 &&
        select({
          label: 'Milestone',
          name: 'milestone',
          choices: [
            { value: '', label: 'None' },
            ...choices.milestones.map(({ id, title }) => ({ value: id, label: title })),
          ],
          refused,
        })
      }`,
      { open: some },
    )}
    <div class="actions">${button('Open merge request', { kind: 'primary' })}</div>
  </form>`;
}
