// Named things of a repository that issues refer to, components and versions: listed, added, changed and deleted
// (document D, "Issues").
import type { Granted } from '#core/kernel/access';
import type { User } from '#core/kernel/caller';
import { Conflict, found, onDuplicate, ValidationFailed } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import type { Rows } from '#core/kernel/rows';
import { aboutRepository, type Repository } from '#core/repositories/index';
import type { IssueParts } from './parts.ts';

/** What each of them has. */
export interface Named {
  readonly id: string;
  readonly repositoryId: string;
  readonly name: string;
  /** The name as it is compared: unique in a repository. */
  readonly nameKey: string;
  readonly description: string;
}

/** Names are compared case-insensitively under this key. */
export const namedKey = (name: string): string => name.toLowerCase();

/** @throws {ValidationFailed} */
export function named(name: string): Pick<Named, 'name' | 'nameKey'> {
  if (name !== '' && name.trim() === name && !/\p{Cc}/u.test(name)) return { name, nameKey: namedKey(name) };
  throw new ValidationFailed('The name is not allowed', {
    detail: '"name" must be one line of text without blanks around it',
  });
}

type Parts<T extends Named> = Pick<IssueParts, 'unitOfWork' | 'events' | 'ids'> & {
  readonly rows: Rows<T>;
  /** What refusals call it, and its events begin with. */
  readonly noun: 'component' | 'version';
};
type Writing = Granted<Repository, 'issue.write', User>;
type Change = 'created' | 'updated' | 'deleted';

/** @template Extra what they have beside a name and a description. */
export function namedUseCases<Extra extends object>(parts: Parts<Named & Extra>) {
  type Thing = Named & Extra;
  type Members = Pick<Named, 'name' | 'description'> & Extra;
  const { rows, noun, unitOfWork, events, ids } = parts;
  const missing = `There is no such ${noun}`;
  const where = (members: Partial<Named>) => members as Partial<Thing>;

  /** The change and its event in one unit of work. @throws {NotFound | Conflict} */
  const change = ({ resource, call }: Writing, what: Change, write: () => Promise<Thing | undefined>): Promise<Thing> =>
    onDuplicate(
      () =>
        unitOfWork.run(async () => {
          const thing = found(await write(), missing);
          await events.emit({
            type: `${noun}.${what}`,
            ...aboutRepository(resource, call),
            payload: { repository_id: resource.id, id: thing.id },
          });
          return thing;
        }),
      (cause) =>
        new Conflict(`The repository has a ${noun} of this name already`, {
          detail: 'Names are compared case-insensitively',
          cause,
        }),
    );

  return {
    list: ({ resource }: Granted<Repository, 'issue.read'>, page: PageRequest): Promise<Page<Thing>> =>
      rows.page({ where: where({ repositoryId: resource.id }), orderBy: ['nameKey'] }, page),

    /** @throws {ValidationFailed | Conflict} */
    create: async (granted: Writing, members: Members): Promise<Thing> => {
      const own = { id: ids.uuid(), repositoryId: granted.resource.id, ...named(members.name) };
      return change(granted, 'created', () => rows.insert({ ...members, ...own }));
    },

    /** @throws {ValidationFailed | NotFound | Conflict} */
    update: async (
      granted: Writing,
      { id, patch }: { readonly id: string; readonly patch: Partial<Members> },
    ): Promise<Thing> => {
      const own = where({ id, repositoryId: granted.resource.id });
      if (Object.keys(patch).length === 0) return found(await rows.findOne(own), missing);
      const { name }: { readonly name?: string | undefined } = patch;
      const changes = { ...patch, ...(name !== undefined && named(name)) } as Partial<Thing>;
      return change(granted, 'updated', () => rows.update(own, changes));
    },

    /** Issues that have it have it no more. @throws {NotFound} */
    delete: async (granted: Writing, { id }: { readonly id: string }): Promise<void> => {
      await change(granted, 'deleted', () => rows.delete(where({ id, repositoryId: granted.resource.id })));
    },
  };
}
