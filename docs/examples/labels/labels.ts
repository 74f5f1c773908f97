// The use cases of labels: list, add, read, change, remove.
import type { Events, Granted, Ids, PageRequest, Rows, UnitOfWork, User } from 'hexforge/plugin';
import { repositoryItems, type AboutItem, type Repository } from 'hexforge/repositories';
import { labelName, type Label, type LabelWish } from './label.ts';

declare module 'hexforge/plugin' {
  interface EventPayloads {
    'labels.changed': AboutItem['payload'];
  }
}

type Parts = { labels: Rows<Label>; unitOfWork: UnitOfWork; events: Events; ids: Ids };
type Reading = Granted<Repository, 'repo.read'>;
type Writing = Granted<Repository, 'repo.write', User>;

export type LabelUseCases = ReturnType<typeof labelUseCases>;

export function labelUseCases({ labels, unitOfWork, events, ids }: Parts) {
  const items = repositoryItems({
    noun: 'label',
    rows: labels,
    most: 1000,
    tell: (_change, about) => events.emit({ type: 'labels.changed', ...about }),
    unitOfWork,
    ids,
  });
  return {
    list: ({ resource }: Reading, page: PageRequest) =>
      labels.page({ where: { repositoryId: resource.id }, orderBy: ['nameKey'] }, page),
    fetch: (granted: Reading, which: { id: string }) => items.fetch(granted, which),
    create: async (granted: Writing, { name, color }: LabelWish) =>
      items.create(granted, { ...labelName(name), color }),
    update: (granted: Writing, { id, name, ...rest }: Partial<LabelWish> & { id: string }) =>
      items.update(granted, id, () => ({ ...rest, ...(name !== undefined && labelName(name)) })),
    delete: (granted: Writing, which: { id: string }) => items.delete(granted, which),
  };
}
