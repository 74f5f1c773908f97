// Labels of a repository: lists, creates, changes, deletes and attaches them.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Forbidden, ValidationFailed } from '#core/kernel/errors';
import type { Rows } from '#core/kernel/storage/rows';
import { nameKey, repositoryItems, type Repository, type RepositoryItems } from '#core/repositories/index';
import { labelParts, maxLabels, newLabel, type Label, type LabelWish } from './label.ts';
import type { Planning } from './offers.ts';
import type { PlanningParts } from './parts.ts';

/** Finds the labels to attach to an issue or merge request, and creates missing ones by name (`inline_labels`). */
async function attachLabels(
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

type Reading = Granted<Repository, 'issue.read'>;
type Writing = Granted<Repository, 'label.create', User>;

export type LabelUseCases = ReturnType<typeof labelUseCases>;

export function labelUseCases({ labels, events, unitOfWork, ids }: PlanningParts) {
  const items = repositoryItems({
    noun: 'label',
    rows: labels,
    most: maxLabels,
    tell: (change, about) => events.emit({ type: `label.${change}`, ...about }),
    unitOfWork,
    ids,
  });
  const all = (repositoryId: string) => labels.find({ where: { repositoryId }, orderBy: ['nameKey'] });
  return {
    all,
    list: ({ resource }: Reading) => all(resource.id),
    fetch: (granted: Reading | Writing, which: { readonly id: string }) => items.fetch(granted, which),
    create: async (granted: Writing, wish: LabelWish) => items.create(granted, newLabel(wish)),
    update: (granted: Writing, { id, ...wish }: Partial<LabelWish> & { readonly id: string }) =>
      items.update(granted, id, () => labelParts(wish)),
    /** @param which a name is compared case-insensitively. */
    delete: (granted: Writing, which: { readonly id: string } | { readonly name: string }) =>
      items.delete(granted, 'id' in which ? { id: which.id } : { nameKey: nameKey(which.name) }),
    offered: {
      labels: items.byIds,
      async labelsNamed(repositoryId, names) {
        if (names.length === 0) return [];
        return labels.find({ where: { repositoryId }, among: { nameKey: names.map(nameKey) }, orderBy: ['nameKey'] });
      },
      attach: (granted, wanted) => attachLabels({ labels, items }, granted, wanted),
    } satisfies Partial<Planning>,
  };
}
