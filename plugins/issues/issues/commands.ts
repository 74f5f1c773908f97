// Converts request bodies and queries to commands. An absent member stays absent.
import { camelCased, pageRules, readPage } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import type { IssueListQuery } from './schemas.ts';

/** Renames the present members of a body to those of the command. */
export const written = <Body extends object>(body: Body) =>
  camelCased(body, { issue_type_id: 'typeId', issue_status: 'status' });

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
  author: query.author,
  assignee: query.assignee,
  milestoneId: query.milestone_id,
  hasParent: query.has_parent,
  component: query.component,
  fixVersion: query.fix_version,
  affectsVersion: query.affects_version,
  overdue: query.overdue,
  q: query.q,
  order: query.sort,
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
