// What an issue refers to, checked before it is written: its assignees, its milestone and its labels.
import type { Granted } from '#core/kernel/access';
import type { User } from '#core/kernel/caller';
import { ValidationFailed } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import type { IssueParts } from './parts.ts';

type Parts = Pick<IssueParts, 'repositories' | 'planning'>;
export type Writing = Granted<Repository, 'issue.read', User>;

/** What is asked for of the labels: by id, and by name where they may have to be made. */
export interface LabelWish {
  readonly labelIds?: readonly string[] | undefined;
  readonly inlineLabels?: readonly { readonly name: string; readonly color: string }[] | undefined;
}

const unknown = (sentence: string, member: string, ids: readonly string[]): ValidationFailed =>
  new ValidationFailed(sentence, { detail: `"${member}": ${ids.map((id) => `"${id}"`).join(', ')}` });

/** Each once. @throws {ValidationFailed} where one is nobody, or may not read the repository. */
export async function checkAssignees(
  { repositories }: Parts,
  { resource: repository }: Writing,
  ids: readonly string[],
): Promise<readonly string[]> {
  const asked = [...new Set(ids)];
  if (asked.length === 0) return [];
  const readers = await repositories.readers(repository.id, asked);
  const others = asked.filter((id) => !readers.has(id));
  if (others.length > 0)
    throw unknown('An issue can be assigned to people who may read the repository', 'assignee_ids', others);
  return asked;
}

/** Inside the unit of work. @throws {ValidationFailed} */
export async function checkMilestone({ planning }: Parts, { resource }: Writing, id: string): Promise<void> {
  if (planning === undefined) throw unknown('There are no milestones here', 'milestone_id', [id]);
  await planning.hold(resource.id, id);
}

/** Inside the unit of work, after the issue is written. @throws {ValidationFailed | Forbidden | Unprocessable} */
export async function attachedLabels(
  { planning }: Parts,
  granted: Writing,
  { labelIds = [], inlineLabels = [] }: LabelWish,
): Promise<readonly string[]> {
  if (labelIds.length + inlineLabels.length === 0) return [];
  if (planning === undefined)
    throw new ValidationFailed('There are no labels here', {
      detail: `"${labelIds.length > 0 ? 'label_ids' : 'inline_labels'}" must be empty: the plugin "planning" is off`,
    });
  return (await planning.attach(granted, { ids: labelIds, inline: inlineLabels })).map(({ id }) => id);
}
