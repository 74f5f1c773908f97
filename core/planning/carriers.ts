// What carries labels and milestones, such as issues and merge requests: read with its rows, and gone from them once it
// is deleted.
import { on, type Subscription } from '#core/kernel/events';
import type { Label } from './label.ts';
import type { Milestone } from './milestone.ts';
import type { Planning } from './offers.ts';

/** The port, where the plugin runs. */
type Parts = { readonly planning: Planning | undefined };

/** The labels of each of these rows, by name; one read for all. */
export async function labelsOf(
  { planning }: Parts,
  repositoryId: string,
  rows: readonly { readonly labelIds: readonly string[] }[],
): Promise<(row: { readonly labelIds: readonly string[] }) => readonly Label[]> {
  const ids = [...new Set(rows.flatMap(({ labelIds }) => labelIds))];
  const known = ids.length === 0 ? undefined : await planning?.labels(repositoryId, ids);
  return ({ labelIds }) =>
    labelIds.flatMap((id) => known?.get(id) ?? []).sort((one, other) => (one.nameKey < other.nameKey ? -1 : 1));
}

/** The milestone of each of these rows; one read for all. */
export async function milestonesOf(
  { planning }: Parts,
  repositoryId: string,
  rows: readonly { readonly milestoneId: string | null }[],
): Promise<(row: { readonly milestoneId: string | null }) => Milestone | null> {
  const ids = [...new Set(rows.flatMap(({ milestoneId }) => milestoneId ?? []))];
  const known = ids.length === 0 ? undefined : await planning?.milestones(repositoryId, ids);
  return ({ milestoneId }) => known?.get(milestoneId ?? '') ?? null;
}

/** What a store of such rows does when one is deleted. */
export interface Carriers {
  /** No row has it any more. */
  dropLabel(labelId: string): Promise<void>;
  /** No row has it any more. */
  dropMilestone(milestoneId: string): Promise<void>;
}

/** The subscriptions of a plugin with such rows. Nothing comes where the plugin "planning" is off. */
export const droppedFrom = ({ dropLabel, dropMilestone }: Carriers): readonly Subscription[] => [
  on('label.deleted', {
    name: 'drop-label',
    delivery: 'durable',
    optional: true,
    handle: ({ payload }) => dropLabel(payload.id),
  }),
  on('milestone.deleted', {
    name: 'drop-milestone',
    delivery: 'durable',
    optional: true,
    handle: ({ payload }) => dropMilestone(payload.id),
  }),
];
