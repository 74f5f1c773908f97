// The JSON shapes of issues.
import {
  count,
  day,
  flag,
  type Joi,
  list,
  maybe,
  oneOf,
  orNull,
  pageOf,
  pageQuery,
  readOnly,
  shape,
  text,
  time,
  userShape,
  uuid,
  word,
  type TypeOf,
} from 'hexforge/plugin';
import { issueBounds, issueStates, issueStatuses, priorities, searchBounds } from 'hexforge/issues';
import { lastNumber } from 'hexforge/repositories';
import { componentJson } from '../components/schemas.ts';
import { issueTypeJson } from '../types/schemas.ts';
import { versionJson } from '../versions/schemas.ts';

/** A number in a request body must be a JSON number. */
const amount = () => count().strict();
const markdown = () => text().max(issueBounds.text);
const ids = (most: number) => list(uuid()).max(most);

/** In a request body, null clears these members, and an absent member leaves the value unchanged. */
const clearable = {
  milestone_id: maybe(orNull(uuid())),
  due_date: maybe(orNull(day())),
  story_points: maybe(orNull(amount())),
  input_tokens: maybe(orNull(amount())),
  output_tokens: maybe(orNull(amount())),
};

const written = {
  ...clearable,
  description: maybe(markdown()),
  priority: maybe(oneOf(...priorities)),
  issue_status: maybe(oneOf(...issueStatuses)),
  label_ids: maybe(ids(issueBounds.labels)),
  assignee_ids: maybe(ids(issueBounds.assignees)),
  component_ids: maybe(ids(issueBounds.components)),
  fix_version_ids: maybe(ids(issueBounds.versions)),
  affects_version_ids: maybe(ids(issueBounds.versions)),
  assumptions: maybe(markdown().description('Empty: none')),
  acceptance_criteria: maybe(markdown().description('Empty: none')),
};

/** Clients rely on the exact value of `error`. The detail names the member to send instead. */
const typeAsRead = () =>
  readOnly('issue_type is read-only; use issue_type_id', 'Send the id of the type as "issue_type_id"');
const title = () => word().max(issueBounds.title);

export const issueBody = shape({
  issue_type: typeAsRead(),
  ...written,
  title: title(),
  issue_type_id: uuid(),
  parent_id: maybe(orNull(uuid())),
  inline_labels: maybe(
    list(shape({ name: word().max(64), color: word().max(6) }))
      .max(issueBounds.labels)
      .description('Reused by name, or made; needs label.create'),
  ),
}).id('IssueCreate');

export const issueChangeBody = shape({
  issue_type: typeAsRead(),
  parent_id: readOnly(
    'parent_id cannot be changed with the issue',
    'PUT or DELETE its "parent": {"parent_number": 7} names the new one',
  ),
  ...written,
  title: maybe(title()),
  issue_type_id: maybe(uuid()),
  locked: maybe(flag().strict()),
}).id('IssueUpdate');

export const parentBody = shape({ parent_number: amount().min(1).max(lastNumber) }).id('IssueParent');

const wanted = <S extends Joi.AnySchema>(schema: S) => maybe(schema.empty('') as S);

export const issueListQuery = shape({
  ...pageQuery,
  per_page: maybe(word().empty('').description('Any positive number; default 25')),
  state: wanted(oneOf(...issueStates, 'all')),
  status: wanted(oneOf(...issueStatuses)),
  type: wanted(word().description('The name of a type')),
  priority: wanted(oneOf(...priorities)),
  label: wanted(word().description('The name of a label')),
  author: wanted(word().description('A username')),
  assignee: wanted(word().description('A username')),
  milestone_id: wanted(uuid()),
  has_parent: wanted(flag()),
  component: wanted(word().description('The name of a component')),
  fix_version: wanted(word().description('The name of a version')),
  affects_version: wanted(word().description('The name of a version')),
  q: wanted(word().max(searchBounds.query).description('Part of the title, or words of title and description')),
  due_before: wanted(day().description('The day included')),
  due_after: wanted(day().description('The day included')),
  overdue: wanted(flag().description('Open and due before today, in UTC')),
  story_points_min: wanted(count()),
  story_points_max: wanted(count()),
  unestimated: wanted(flag().description('Without story points')),
  tokens_min: wanted(count().description('Of the input tokens')),
  tokens_max: wanted(count().description('Of the input tokens')),
  untokenized: wanted(flag().description('Without input tokens')),
  output_tokens_min: wanted(count()),
  output_tokens_max: wanted(count()),
  no_output_tokens: wanted(flag().description('Without output tokens')),
  sort: wanted(oneOf('newest', 'oldest').description('Default newest')),
});
export type IssueListQuery = TypeOf<typeof issueListQuery>;

export const userJson = userShape().id('IssueUser');

/** The issue at one end of a link. */
export const linkedIssueJson = shape({
  id: uuid(),
  number: count(),
  title: text(),
  state: oneOf(...issueStates),
}).id('LinkedIssue');

/** The members of an issue in a list. */
export const issueItemMembers = {
  id: uuid(),
  repo_id: uuid(),
  author_id: uuid(),
  number: count(),
  author: userJson,
  title: text(),
  description: text(),
  state: oneOf(...issueStates),
  issue_status: oneOf(...issueStatuses),
  priority: oneOf(...priorities),
  locked: flag(),
  closed_at: orNull(time()),
  created_at: time(),
  updated_at: time(),
  issue_type: orNull(issueTypeJson),
  parent_id: orNull(uuid()),
  parent: orNull(shape({ id: uuid(), number: count(), title: text() }).id('IssueParentReference')),
  children_count: count(),
  comments_count: count(),
  links_count: count().description('0 in lists'),
  watchers_count: count().description('0 in lists'),
  due_date: orNull(text()),
  components: list(componentJson),
  fix_versions: list(versionJson),
  affects_versions: list(versionJson),
  story_points: orNull(count()),
  input_tokens: orNull(count()),
  output_tokens: orNull(count()),
  assumptions: orNull(text()),
  acceptance_criteria: orNull(text()),
  labels: list(shape({ id: uuid(), name: text(), color: text() }).id('IssueLabel')),
  assignees: list(userJson),
  milestone: orNull(shape({ id: uuid(), title: text(), due_date: orNull(text()), state: text() }).id('IssueMilestone')),
};

/** An issue in a list. */
export const issueItemJson = shape(issueItemMembers).id('IssueItem');
export const issuePageJson = pageOf(issueItemJson).id('IssuePage');
export const issueItemsJson = list(issueItemJson);

export const issueJson = shape({
  ...issueItemMembers,
  blocked_by: list(linkedIssueJson),
  watching: flag(),
}).id('Issue');
