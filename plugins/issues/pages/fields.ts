// The members of an issue in forms: the shapes of the sent values, and the controls.
import { count, day, html, list, maybe, oneOf, uuid, word, type Html, type RefusedForm } from 'hexforge/plugin';
import { issueBounds, issueStatuses, priorities, type IssueType } from 'hexforge/issues';
import { field, label, picks, select, type Choice } from 'hexforge/ui';
import type { IssueChoices } from '#core/issues/use-cases';
import { words } from './marks.ts';

/** Browsers send line breaks as CRLF. */
export const markdown = () => word().replace(/\r\n?/g, '\n').max(issueBounds.text);
const ids = (most: number) => maybe(list(uuid()).single().max(most));

/** Texts of a form, where an empty member is absent. */
export const memberBody = {
  issue_type_id: maybe(uuid()),
  issue_status: maybe(oneOf(...issueStatuses)),
  priority: maybe(oneOf(...priorities)),
  label_ids: ids(issueBounds.labels),
  milestone_id: maybe(uuid()),
  assignees: maybe(word().max(8000)),
  component_ids: ids(issueBounds.components),
  fix_version_ids: ids(issueBounds.versions),
  affects_version_ids: ids(issueBounds.versions),
  due_date: maybe(day()),
  story_points: maybe(count()),
  input_tokens: maybe(count()),
  output_tokens: maybe(count()),
} as const;

/** The member of `shownValues`. */
export const shownMember = () => maybe(word().max(500));

/** The number of an issue, alone or after `#`. */
export const numberText = () => word().pattern(/^#?[0-9]{1,10}$/, 'number of an issue');
export const numberIn = (text: string): number => Number(text.replace('#', ''));

/** The values that the controls show at first. */
export interface MemberValues {
  readonly type?: IssueType | undefined;
  readonly status?: string | undefined;
  readonly priority?: string | undefined;
  readonly labels?: IssueChoices['labels'];
  readonly milestone?: IssueChoices['milestones'][number] | null | undefined;
  readonly assignees?: readonly string[];
  readonly components?: IssueChoices['components'];
  readonly fixVersions?: IssueChoices['versions'];
  readonly affectsVersions?: IssueChoices['versions'];
  readonly dueDate?: string | null | undefined;
  readonly storyPoints?: number | null;
  readonly inputTokens?: number | null;
  readonly outputTokens?: number | null;
}

/** All choices, and those of the issue that are no longer offered. */
const withOwn = <T extends { readonly id: string }>(all: readonly T[], own: readonly T[]): readonly T[] => [
  ...all,
  ...own.filter(({ id }) => all.every((one) => one.id !== id)),
];

const worded = (all: readonly string[]): readonly Choice[] => all.map((value) => ({ value, label: words(value) }));
const idsOf = (all: readonly { readonly id: string }[]): readonly string[] => all.map(({ id }) => id);

/** The controls of an issue's members. @param refused what was typed into them, if their form was refused. */
export function memberControls(choices: IssueChoices, values: MemberValues, refused?: RefusedForm) {
  const named = (
    title: string,
    name: string,
    all: readonly { readonly id: string; readonly name: string }[],
    own: readonly { readonly id: string; readonly name: string }[] = [],
  ): Html =>
    picks({
      label: title,
      name,
      values: idsOf(own),
      choices: withOwn(all, own).map((one) => ({ value: one.id, label: one.name })),
      refused,
    });
  const amount = (title: string, name: string, value: number | null | undefined): Html =>
    field({ label: title, name, type: 'number', value: value?.toString() ?? '', refused });
  const { milestone, labels = [], type } = values;
  const milestones = withOwn(
    choices.milestones.filter(({ state }) => state === 'open'),
    milestone === null || milestone === undefined ? [] : [milestone],
  );
  return {
    type: () =>
      select({
        label: 'Type',
        name: 'issue_type_id',
        ...(type !== undefined && { value: type.id }),
        choices: withOwn(choices.types, type === undefined ? [] : [type]).map(({ id, displayName }) => ({
          value: id,
          label: displayName,
        })),
        refused,
      }),
    status: () =>
      html`${select({ label: 'Status', name: 'issue_status', value: values.status ?? 'queued', choices: worded(issueStatuses), refused })}
      ${select({ label: 'Priority', name: 'priority', value: values.priority ?? 'none', choices: worded(priorities), refused })}`,
    labels: () =>
      picks({
        label: 'Labels',
        name: 'label_ids',
        values: idsOf(labels),
        choices: withOwn(choices.labels, labels).map(({ id, name, color, description }) => ({
          value: id,
          label: name,
          shown: label(name, color, description ?? ''),
        })),
        refused,
      }),
    milestone: () =>
      select({
        label: 'Milestone',
        name: 'milestone_id',
        value: milestone?.id ?? '',
        choices: [{ value: '', label: 'None' }, ...milestones.map(({ id, title }) => ({ value: id, label: title }))],
        refused,
      }),
    assignees: () =>
      field({
        label: 'Assignees',
        name: 'assignees',
        value: values.assignees?.join(' '),
        hint: 'Usernames, with spaces between them',
        refused,
      }),
    components: () => named('Components', 'component_ids', choices.components, values.components),
    versions: () =>
      html`${named('Fixed in', 'fix_version_ids', choices.versions, values.fixVersions)}
      ${named('Affects', 'affects_version_ids', choices.versions, values.affectsVersions)}`,
    due: () => field({ label: 'Due date', name: 'due_date', type: 'date', value: values.dueDate ?? '', refused }),
    estimate: () =>
      html`${amount('Story points', 'story_points', values.storyPoints)}
      ${amount('Input tokens', 'input_tokens', values.inputTokens)}
      ${amount('Output tokens', 'output_tokens', values.outputTokens)}`,
  } as const;
}
