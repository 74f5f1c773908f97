// The use cases of components and versions: list, create, change and delete.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import type { PageRequest } from '#core/kernel/page';
import type { Rows } from '#core/kernel/storage/rows';
import { repositoryItems, type Repository, type RepositoryItem } from '#core/repositories/index';
import { named, type Named } from '../model/named.ts';
import type { IssueParts } from '../model/parts.ts';

type Parts<T extends Named> = Pick<IssueParts, 'unitOfWork' | 'events' | 'ids'> & {
  readonly rows: Rows<T>;
  /** The noun in error messages, and the prefix of the event types. */
  readonly noun: 'component' | 'version';
};
type Reading = Granted<Repository, 'issue.read'>;
type Writing = Granted<Repository, 'issue.write', User>;

/** @template Extra the members other than name and description. */
export function namedUseCases<Extra extends object>({ events, noun, ...parts }: Parts<Named & Extra>) {
  type Thing = Named & Extra;
  type Members = Pick<Named, 'name' | 'description'> & Extra;
  const items = repositoryItems<Thing>({
    ...parts,
    noun,
    tell: (change, about) => events.emit({ type: `${noun}.${change}`, ...about }),
  });
  const some = (members: Partial<Named>) => members as Partial<Thing>;
  return {
    list: ({ resource }: Reading, page: PageRequest) =>
      parts.rows.page({ where: some({ repositoryId: resource.id }), orderBy: ['nameKey'] }, page),
    fetch: (granted: Reading | Writing, which: { readonly id: string }) => items.fetch(granted, which),
    create: async (granted: Writing, members: Members) =>
      items.create(granted, { ...members, ...named(members.name) } as Omit<Thing, keyof RepositoryItem>),
    update: (granted: Writing, { id, patch }: { readonly id: string; readonly patch: Partial<Members> }) =>
      items.update(granted, id, () => some({ ...patch, ...(patch.name !== undefined && named(patch.name)) })),
    /** Also removes it from all issues that refer to it. */
    delete: (granted: Writing, which: { readonly id: string }) => items.delete(granted, some(which)),
  };
}
