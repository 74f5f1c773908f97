// Reads and checks the labels and milestones of issues and merge requests, and removes deleted ones from them.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { ValidationFailed } from '#core/kernel/errors';
import { on, type Subscription } from '#core/kernel/storage/events';
import type { Repository } from '#core/repositories/index';
import type { Label } from './label.ts';
import type { Milestone } from './milestone.ts';
import type { Planning } from './offers.ts';

/** Undefined if the plugin "planning" is disabled. */
type Parts = { readonly planning: Planning | undefined };

/** The labels of each row, sorted by name. One read for all rows. */
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

/** The milestone of each row. One read for all rows. */
export async function milestonesOf(
  { planning }: Parts,
  repositoryId: string,
  rows: readonly { readonly milestoneId: string | null }[],
): Promise<(row: { readonly milestoneId: string | null }) => Milestone | null> {
  const ids = [...new Set(rows.flatMap(({ milestoneId }) => milestoneId ?? []))];
  const known = ids.length === 0 ? undefined : await planning?.milestones(repositoryId, ids);
  return ({ milestoneId }) => known?.get(milestoneId ?? '') ?? null;
}

/** The part of a store of such rows that handles deleted labels and milestones. */
export interface Carriers {
  /** Removes the label from all rows. */
  dropLabel(labelId: string): Promise<void>;
  /** Removes the milestone from all rows. */
  dropMilestone(milestoneId: string): Promise<void>;
}

/** The subscriptions of a plugin with such rows. They receive no events while the plugin "planning" is disabled. */
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

/** The requested labels: existing ones by id, and inline ones by name, which are created if missing. */
export interface LabelsWanted {
  readonly labelIds?: readonly string[] | undefined;
  readonly inlineLabels?: readonly { readonly name: string; readonly color: string }[] | undefined;
}

type Changing = Granted<Repository, string, User>;

/** Runs inside the unit of work. @throws {ValidationFailed} */
export async function checkMilestone({ planning }: Parts, { resource }: Changing, id: string): Promise<void> {
  if (planning === undefined)
    throw new ValidationFailed('There are no milestones here', { detail: `"milestone_id": "${id}"` });
  await planning.hold(resource.id, id);
}

/**
 * The ids of the labels to attach. Runs inside the unit of work, after the row that gets the labels is written.
 * @throws {ValidationFailed | Forbidden | Unprocessable}
 */
export async function attachedLabels(
  { planning }: Parts,
  granted: Changing,
  { labelIds = [], inlineLabels = [] }: LabelsWanted,
): Promise<readonly string[]> {
  if (labelIds.length + inlineLabels.length === 0) return [];
  if (planning === undefined)
    throw new ValidationFailed('There are no labels here', {
      detail: `"${labelIds.length > 0 ? 'label_ids' : 'inline_labels'}" must be empty: the plugin "planning" is off`,
    });
  return (await planning.attach(granted, { ids: labelIds, inline: inlineLabels })).map(({ id }) => id);
}
