// Labels of a repository: lists, creates, changes, deletes and attaches them.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { nameKey, repositoryItems, type Repository } from '#core/repositories/index';
import { attachLabels } from './attach-labels.ts';
import { labelParts, maxLabels, newLabel, type LabelWish } from './label.ts';
import type { Planning } from './offers.ts';
import type { PlanningParts } from './parts.ts';

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
  return {
    list: ({ resource }: Reading) => labels.find({ where: { repositoryId: resource.id }, orderBy: ['nameKey'] }),
    fetch: (granted: Reading, which: { readonly id: string }) => items.fetch(granted, which),
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
