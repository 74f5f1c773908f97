// Converts milestones to JSON, and request bodies to commands.
import type { CountedMilestone } from 'hexforge/planning';
import type { MilestoneJson } from './schemas.ts';

export const presentMilestone = (milestone: CountedMilestone): MilestoneJson => ({
  id: milestone.id,
  repo_id: milestone.repositoryId,
  title: milestone.title,
  description: milestone.description,
  due_date: milestone.dueDate,
  state: milestone.state,
  created_at: milestone.createdAt.toISOString(),
  closed_at: milestone.closedAt?.toISOString() ?? null,
  open_issues: milestone.openIssues,
  closed_issues: milestone.closedIssues,
});

/** Renames the members of a body to those of the command. */
export const wished = <B extends { readonly due_date?: string | null }>({ due_date: dueDate, ...rest }: B) => ({
  ...rest,
  dueDate,
});
