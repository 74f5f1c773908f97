// The use cases of labels: list, add, read, change, remove.
import type { Call, Events, Granted, Ids, PageRequest, Rows, UnitOfWork, User } from 'hexforge/plugin';
import { repositoryItems, type AboutItem, type Repositories, type Repository } from 'hexforge/repositories';
import { labelName, type Label, type LabelWish } from './label.ts';

declare module 'hexforge/plugin' {
  interface EventPayloads {
    'labels.changed': AboutItem['payload'];
  }
}

type Parts = { labels: Rows<Label>; unitOfWork: UnitOfWork; events: Events; ids: Ids; repositories: Repositories };
export type ReadableLabel = { label: Label; repository: Repository };
type Reading = Granted<Repository, 'repo.read'>;
type Writing = Granted<Repository, 'repo.write', User>;

export type LabelUseCases = ReturnType<typeof labelUseCases>;

export function labelUseCases({ labels, unitOfWork, events, ids, repositories }: Parts) {
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
    count: (repositoryId: string) => labels.count({ repositoryId }),
    some: (repositoryId: string, limit: number) =>
      labels.find({ where: { repositoryId }, orderBy: ['nameKey'], limit }),
    /** Labels of the repositories that the caller can read. */
    async readable({ caller }: Call, limit: number): Promise<readonly ReadableLabel[]> {
      const found = await labels.find({ where: {}, orderBy: ['nameKey', 'id'], limit });
      const readable = await repositories.readable(caller, [...new Set(found.map((label) => label.repositoryId))]);
      return found.flatMap((label) => {
        const repository = readable.get(label.repositoryId);
        return repository === undefined ? [] : [{ label, repository }];
      });
    },
  };
}
