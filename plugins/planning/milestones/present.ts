// From the domain to JSON, and back from a body: milestones.
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

/** The members of a body in the words of the domain. */
export const wished = <B extends { readonly due_date?: string | null }>({ due_date: dueDate, ...rest }: B) => ({
  ...rest,
  dueDate,
});
