// Finds the labels to attach to an issue or merge request, and creates missing ones by name (`inline_labels`).
import { Forbidden, ValidationFailed } from '#core/kernel/errors';
import type { Rows } from '#core/kernel/storage/rows';
import { nameKey, type RepositoryItems } from '#core/repositories/index';
import { newLabel, type Label } from './label.ts';
import type { Planning } from './offers.ts';

/** Implements `attach` of the port. */
export async function attachLabels(
  { labels, items }: { readonly labels: Rows<Label>; readonly items: RepositoryItems<Label> },
  ...[granted, { ids, inline = [] }]: Parameters<Planning['attach']>
): Promise<readonly Label[]> {
  const repositoryId = granted.resource.id;
  if (inline.length > 0 && !granted.may('label.create'))
    throw new Forbidden('You may not make labels here', {
      detail: '"inline_labels" needs the permission "label.create"',
    });
  // If two inline labels have the same name, the first one counts.
  const wishes = new Map(inline.toReversed().map((wish) => [nameKey(wish.name), newLabel(wish)]));
  // Serializes concurrent requests for the same new label, so that one creates it and the others find it.
  if (wishes.size > 0) await items.turn(granted);
  const attached = new Map(await items.byIds(repositoryId, ids, 'held'));
  const unknown = ids.find((id) => !attached.has(id));
  if (unknown !== undefined)
    throw new ValidationFailed('There is no such label', {
      detail: `"label_ids" names "${unknown}", which is no label of this repository`,
    });
  const there = await labels.find(
    { where: { repositoryId }, among: { nameKey: [...wishes.keys()] }, orderBy: ['id'] },
    'held',
  );
  for (const label of there) {
    attached.set(label.id, label);
    wishes.delete(label.nameKey);
  }
  for (const wish of wishes.values()) {
    const label = await items.add(granted, wish);
    attached.set(label.id, label);
  }
  return [...attached.values()].sort((a, b) => (a.nameKey < b.nameKey ? -1 : 1));
}
