// What happens when a caller lists, adds, changes or removes labels.
import { Conflict, found, onDuplicate } from 'hexforge/plugin';
import type { Events, Granted, Ids, PageRequest, Rows, UnitOfWork, User } from 'hexforge/plugin';
import { aboutRepository, type Repository } from 'hexforge/repositories';
import { named, type Label } from './label.ts';

declare module 'hexforge/plugin' {
  interface EventPayloads {
    'labels.changed': { readonly repository_id: string; readonly label_id: string };
  }
}

type Parts = { labels: Rows<Label>; unitOfWork: UnitOfWork; events: Events; ids: Ids };
type Writing = Granted<Repository, 'repo.write', User>;

export type LabelUseCases = ReturnType<typeof labelUseCases>;

export function labelUseCases({ labels, unitOfWork, events, ids }: Parts) {
  /** The change and its event in one unit of work. @throws {NotFound | Conflict} */
  const change = ({ resource, call }: Writing, write: () => Promise<Label | undefined>): Promise<Label> =>
    onDuplicate(
      () =>
        unitOfWork.run(async () => {
          const label = found(await write());
          const payload = { repository_id: resource.id, label_id: label.id };
          await events.emit({ type: 'labels.changed', ...aboutRepository(resource, call), payload });
          return label;
        }),
      (cause) => new Conflict('The repository has a label of this name already', { cause }),
    );
  return {
    list: ({ resource }: Granted<Repository, 'repo.read'>, page: PageRequest) =>
      labels.page({ where: { repositoryId: resource.id }, orderBy: ['nameKey'] }, page),
    create: (granted: Writing, { name, color }: { name: string; color: string }) =>
      change(granted, () =>
        labels.insert({ id: ids.uuid(), repositoryId: granted.resource.id, ...named(name), color }),
      ),
    update: async (granted: Writing, { id, name, color }: { id: string; name?: string; color?: string }) => {
      const patch = { ...(name !== undefined && named(name)), ...(color !== undefined && { color }) };
      const own = { id, repositoryId: granted.resource.id };
      if (Object.keys(patch).length === 0) return found(await labels.findOne(own));
      return change(granted, () => labels.update(own, patch));
    },
    delete: (granted: Writing, { id }: { id: string }) =>
      change(granted, () => labels.delete({ id, repositoryId: granted.resource.id })),
  };
}
