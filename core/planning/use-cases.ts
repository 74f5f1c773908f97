// All use cases of the area for its own plugin, built once from its parts.
import type { Rows } from '#core/kernel/rows';
import type { ChangeParts } from './changes.ts';
import type { Label } from './label.ts';
import { labelUseCases } from './labels.ts';
import type { Milestone } from './milestone.ts';
import { milestoneUseCases } from './milestones.ts';
import type { MilestoneCounts, Planning } from './offers.ts';

export type { LabelUseCases } from './labels.ts';
export type { MilestoneUseCases } from './milestones.ts';

export function planningUseCases(
  parts: ChangeParts & {
    readonly labels: Rows<Label>;
    readonly milestones: Rows<Milestone>;
    readonly counters: () => readonly MilestoneCounts[];
  },
) {
  const labels = labelUseCases(parts);
  const milestones = milestoneUseCases(parts);
  return { labels, milestones, planning: { ...labels.offered, ...milestones.offered } satisfies Planning };
}
