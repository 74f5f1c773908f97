// Checks the milestone and labels that an issue or merge request refers to, before they are written.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { ValidationFailed } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import type { Planning } from './offers.ts';

/** The requested labels: existing ones by id, and inline ones by name, which are created if missing. */
export interface LabelsWanted {
  readonly labelIds?: readonly string[] | undefined;
  readonly inlineLabels?: readonly { readonly name: string; readonly color: string }[] | undefined;
}

/** Undefined if the plugin "planning" is disabled. */
type Parts = { readonly planning: Planning | undefined };
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
