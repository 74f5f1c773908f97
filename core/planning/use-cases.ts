// All use cases of the area for its own plugin, built once from its dependencies.
import { labelUseCases } from './labels.ts';
import { milestoneUseCases } from './milestones.ts';
import type { IssuePages, Planning } from './offers.ts';
import type { PlanningParts } from './parts.ts';

export type { LabelUseCases } from './labels.ts';
export type { MilestoneUseCases } from './milestones.ts';

export function planningUseCases(parts: PlanningParts) {
  const labels = labelUseCases(parts);
  const milestones = milestoneUseCases(parts);
  const ofRepository: Planning['ofRepository'] = async (repositoryId) => {
    const [allLabels, allMilestones] = await Promise.all([labels.all(repositoryId), milestones.all(repositoryId)]);
    return { labels: allLabels, milestones: allMilestones };
  };
  return {
    labels,
    milestones,
    planning: { ...labels.offered, ...milestones.offered, ofRepository } satisfies Planning,
    /** The pages to which those of planning link; undefined if no plugin has issues with pages. */
    issuePages: (): IssuePages | undefined => parts.counters().find(({ pages }) => pages !== undefined)?.pages,
  };
}
