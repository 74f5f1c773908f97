// Converts request bodies and queries to commands. An absent member stays absent.
import { pageRules, readPage, type PageRequest } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import type { ArrayQuery, IssueListQuery } from './schemas.ts';

/** Member of a body to member of the command. */
const names = {
  title: 'title',
  description: 'description',
  issue_type_id: 'typeId',
  priority: 'priority',
  issue_status: 'status',
  locked: 'locked',
  milestone_id: 'milestoneId',
  due_date: 'dueDate',
  story_points: 'storyPoints',
  input_tokens: 'inputTokens',
  output_tokens: 'outputTokens',
  assumptions: 'assumptions',
  acceptance_criteria: 'acceptanceCriteria',
  label_ids: 'labelIds',
  inline_labels: 'inlineLabels',
  assignee_ids: 'assigneeIds',
  parent_id: 'parentId',
  component_ids: 'componentIds',
  fix_version_ids: 'fixVersionIds',
  affects_version_ids: 'affectsVersionIds',
} as const;
type Names = typeof names;

type Renamed<Body> = { [M in keyof Body as M extends keyof Names ? Names[M] : never]: Body[M] };

/** Renames the present members of a body to those of the command. */
export const renamed = <Body extends object>(body: Body): Renamed<Body> =>
  Object.fromEntries(
    Object.entries(body).map(([member, value]) => [names[member as keyof Names], value]),
  ) as Renamed<Body>;

/** Converts a flag for "has no value" to the bound's flag for "has a value". */
const unless = (none: boolean | undefined): boolean | undefined => (none === undefined ? undefined : !none);

/** The issue list accepts any positive `per_page`. */
export const listCommand = (query: IssueListQuery): Parameters<IssueUseCases['list']>[1] => ({
  page: readPage(pageRules.uncapped(), query),
  state: query.state === 'all' ? undefined : query.state,
  status: query.status,
  type: query.type,
  priority: query.priority,
  label: query.label,
  milestoneId: query.milestone_id,
  hasParent: query.has_parent,
  component: query.component,
  fixVersion: query.fix_version,
  affectsVersion: query.affects_version,
  overdue: query.overdue,
  q: query.q,
  ranges: {
    dueDate: { min: query.due_after, max: query.due_before },
    storyPoints: { min: query.story_points_min, max: query.story_points_max, set: unless(query.unestimated) },
    inputTokens: { min: query.tokens_min, max: query.tokens_max, set: unless(query.untokenized) },
    outputTokens: {
      min: query.output_tokens_min,
      max: query.output_tokens_max,
      set: unless(query.no_output_tokens),
    },
  },
});

/** The page of a list that is returned as a plain JSON array: `per_page` is 1 to 100, default 100. */
export const arrayPage = (query: ArrayQuery): PageRequest => readPage(pageRules.orDefault(100), query);
