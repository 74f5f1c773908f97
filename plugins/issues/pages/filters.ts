// The filters of the list of issues, as controls of a form. Their names are those of the query of REST.
import { html, type Html } from 'hexforge/plugin';
import { issueStatuses, priorities } from 'hexforge/issues';
import type { Repository } from 'hexforge/repositories';
import { checkBox, disclosure, field, filterChoice, filterBar, searchField, select, type Choice } from 'hexforge/ui';
import type { IssueChoices } from '#core/issues/use-cases';
import { issuesPath } from './links.ts';
import { words } from './marks.ts';

/** The values of the query as texts. */
type Values = Readonly<Record<string, string | undefined>>;

/** Filters that are always visible, and kept by the links of the list; the others are closed at first. */
const shown = ['q', 'type', 'label', 'milestone_id', 'author', 'assignee', 'state', 'sort', 'page'];

/** Whether the list is restricted by more than its state. */
export const isFiltered = (values: Values): boolean =>
  Object.entries(values).some(([name, value]) => value !== '' && !['state', 'sort', 'page'].includes(name));

/** The choices for a filter: any, all known ones, and the value of the query if it is another one. */
function optional(any: string, value: string | undefined, choices: readonly Choice[]): readonly Choice[] {
  const known = value === undefined || value === '' || choices.some((choice) => choice.value === value);
  return [{ value: '', label: any }, ...choices, ...(known ? [] : [{ value: value ?? '', label: value ?? '' }])];
}

const named = (all: readonly { readonly name: string }[]): readonly Choice[] =>
  all.map(({ name }) => ({ value: name, label: name }));
const worded = (all: readonly string[]): readonly Choice[] => all.map((value) => ({ value, label: words(value) }));
const yesOrNo = (yes: string, no: string): readonly Choice[] => [
  { value: 'true', label: yes },
  { value: 'false', label: no },
];

const selects = (choices: IssueChoices) =>
  [
    ['status', 'Status', worded(issueStatuses)],
    ['priority', 'Priority', worded(priorities)],
    ['component', 'Component', named(choices.components)],
    ['fix_version', 'Fixed in', named(choices.versions)],
    ['affects_version', 'Affects', named(choices.versions)],
    ['has_parent', 'Parent', yesOrNo('With a parent', 'Without a parent')],
    ['unestimated', 'Story points', yesOrNo('Not estimated', 'Estimated')],
    ['untokenized', 'Input tokens known', yesOrNo('No', 'Yes')],
    ['no_output_tokens', 'Output tokens known', yesOrNo('No', 'Yes')],
  ] as const;

const inputs = [
  ['due_after', 'Due from', 'date'],
  ['due_before', 'Due until', 'date'],
  ['story_points_min', 'Story points from', 'number'],
  ['story_points_max', 'Story points to', 'number'],
  ['tokens_min', 'Input tokens from', 'number'],
  ['tokens_max', 'Input tokens to', 'number'],
  ['output_tokens_min', 'Output tokens from', 'number'],
  ['output_tokens_max', 'Output tokens to', 'number'],
] as const;

const hidden = (values: Values, ...names: readonly string[]): readonly Html[] =>
  names.flatMap((name) =>
    values[name] === undefined ? [] : html`<input type="hidden" name="${name}" value="${values[name]}" />`,
  );

export function issueFilters(repository: Repository, values: Values, choices: IssueChoices, end: Html): Html {
  const value = (name: string): string => values[name] ?? '';
  const choice = (label: string, name: string, known: readonly Choice[]): Html =>
    filterChoice(label, name, value(name), optional(label, values[name], known));
  const open = Object.entries(values).some(([name, text]) => text !== '' && !shown.includes(name));
  return filterBar(
    issuesPath(repository),
    html`${hidden(values, 'state', 'sort')} ${searchField('Search issues', 'q', value('q'))}
      ${choice(
        'Type',
        'type',
        choices.types.map(({ name, displayName }) => ({ value: name, label: displayName })),
      )}
      ${(choices.labels.length > 0 || value('label') !== '') && choice('Label', 'label', named(choices.labels))}
      ${
        (choices.milestones.length > 0 || value('milestone_id') !== '') &&
        choice(
          'Milestone',
          'milestone_id',
          choices.milestones.map(({ id, title }) => ({ value: id, label: title })),
        )
      }
      <input name="author" value="${value('author')}" aria-label="Author" placeholder="Author" class="short" />
      <input name="assignee" value="${value('assignee')}" aria-label="Assignee" placeholder="Assignee" class="short" />
      ${disclosure(
        'More filters',
        html`<div class="columns">
          ${selects(choices).map(([name, label, known]) =>
            select({ label, name, value: value(name), choices: optional('Any', values[name], known) }),
          )}
          ${inputs.map(([name, label, type]) => field({ label, name, type, value: value(name) }))}
          ${checkBox({ label: 'Overdue', name: 'overdue', value: value('overdue') === 'true' })}
        </div>`,
        { open },
      )}`,
    end,
  );
}
