// All use cases of the area for its own plugin, built once from its dependencies.
import { labelUseCases } from './labels.ts';
import { milestoneUseCases } from './milestones.ts';
import type { Planning } from './offers.ts';
import type { PlanningParts } from './parts.ts';

export type { LabelUseCases } from './labels.ts';
export type { MilestoneUseCases } from './milestones.ts';

export function planningUseCases(parts: PlanningParts) {
  const labels = labelUseCases(parts);
  const milestones = milestoneUseCases(parts);
  return { labels, milestones, planning: { ...labels.offered, ...milestones.offered } satisfies Planning };
}
