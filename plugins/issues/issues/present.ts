// Converts issues to JSON.
import { presentUser } from 'hexforge/plugin';
import type { IssueDetail, IssueView } from 'hexforge/issues';
import { presentComponent } from '../components/schemas.ts';
import { presentIssueType } from '../types/schemas.ts';
import { presentVersion } from '../versions/schemas.ts';
import type { IssueItemJson, IssueJson } from './schemas.ts';

export const presentItem = (issue: IssueView): IssueItemJson => ({
  id: issue.id,
  repo_id: issue.repositoryId,
  author_id: issue.authorId,
  number: issue.number,
  author: presentUser(issue.author),
  title: issue.title,
  description: issue.description,
  state: issue.state,
  issue_status: issue.status,
  priority: issue.priority,
  locked: issue.locked,
  closed_at: issue.closedAt?.toISOString() ?? null,
  created_at: issue.createdAt.toISOString(),
  updated_at: issue.updatedAt.toISOString(),
  issue_type: presentIssueType(issue.type),
  parent_id: issue.parentId,
  parent: issue.parent,
  children_count: issue.childrenCount,
  comments_count: issue.commentsCount,
  links_count: 0,
  watchers_count: 0,
  due_date: issue.dueDate,
  components: issue.components.map(presentComponent),
  fix_versions: issue.fixVersions.map(presentVersion),
  affects_versions: issue.affectsVersions.map(presentVersion),
  story_points: issue.storyPoints,
  input_tokens: issue.inputTokens,
  output_tokens: issue.outputTokens,
  assumptions: issue.assumptions,
  acceptance_criteria: issue.acceptanceCriteria,
  labels: issue.labels.map(({ id, name, color }) => ({ id, name, color })),
  assignees: issue.assignees.map(presentUser),
  milestone: issue.milestone && {
    id: issue.milestone.id,
    title: issue.milestone.title,
    due_date: issue.milestone.dueDate,
    state: issue.milestone.state,
  },
});

export const presentIssue = (issue: IssueView & IssueDetail): IssueJson => ({
  ...presentItem(issue),
  links_count: issue.links,
  watchers_count: issue.watchers,
  watching: issue.watching,
  blocked_by: issue.blockedBy,
});
