// Generic use cases for the items of a repository, such as labels: fetches, creates, updates and deletes them. Changes
// run one after another, and each emits an event.
import { isLonger } from '#core/kernel/characters';
import { changed } from '#core/kernel/storage/changed';
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Conflict, found, onDuplicate, Unprocessable, ValidationFailed } from '#core/kernel/errors';
import type { RowQuery, Rows } from '#core/kernel/storage/rows';
import type { Ids } from '#core/kernel/time';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { aboutRepository } from '../model/events.ts';
import { nameKey, type Repository } from '../model/repository.ts';

/** The members that every item has. */
export interface RepositoryItem {
  readonly id: string;
  readonly repositoryId: string;
}

/** The members of items that have a unique name. */
export interface NamedItem extends RepositoryItem {
  readonly name: string;
  /** The name in the form in which it is compared. Unique in a repository. */
  readonly nameKey: string;
}

/**
 * Checks that a name is one line without blanks at its ends, and returns it with the key by which it is compared.
 *
 * @example
 *   const bug: { readonly nameKey: string } = itemName('Bug', 64);
 *
 * @param longest in characters.
 * @throws {ValidationFailed} naming the member "name".
 */
export function itemName(name: string, longest: number): Pick<NamedItem, 'name' | 'nameKey'> {
  if (name !== '' && !isLonger(name, longest) && name.trim() === name && !/\p{Cc}/u.test(name))
    return { name, nameKey: nameKey(name) };
  throw new ValidationFailed('The name is not allowed', {
    detail: `"name" must be 1 to ${longest} characters, without control characters or blanks around them`,
  });
}

/** The kind of change of an item. */
export type ItemChange = 'created' | 'updated' | 'deleted';

/** An event about an item, without its type. */
export interface AboutItem {
  /** `repository:ID`. */
  readonly aggregate: string;
  readonly actorId?: string;
  readonly payload: { readonly repository_id: string; readonly id: string };
}

/** The dependencies of `repositoryItems`. */
export interface ItemParts<T extends RepositoryItem> {
  /** The noun in error messages. */
  readonly noun: string;
  /** If the table has a unique constraint, it must be on the name. */
  readonly rows: Rows<T>;
  /** The most items of one repository. Absent: no limit. */
  readonly most?: number;
  /** Emits the event, in the unit of work of the change. */
  readonly tell: (change: ItemChange, about: AboutItem) => Promise<unknown>;
  readonly unitOfWork: UnitOfWork;
  readonly ids: Ids;
}

type Writing = Granted<Repository, string, User>;

/**
 * The use cases of one kind of item. Items are found by id and repository, so that the path of one repository never
 * reaches an item of another.
 */
export interface RepositoryItems<T extends RepositoryItem> {
  /** @throws {NotFound} */
  fetch(granted: Granted<Repository, string>, which: { readonly id: string }): Promise<T>;
  /** @throws {Unprocessable} if the repository already has `most` items. @throws {Conflict} if the name is in use. */
  create(granted: Writing, members: Omit<T, keyof RepositoryItem>): Promise<T>;
  /**
   * @param patch computes the changes from the current item. If it changes nothing, nothing is written and no event is
   * emitted.
   * @throws {NotFound}
   * @throws {Conflict} if the name is in use.
   */
  update(granted: Writing, id: string, patch: (before: T) => Partial<T>): Promise<T>;
  /** @returns the deleted item. @throws {NotFound} */
  delete(granted: Writing, which: Partial<T>): Promise<T>;
  /** Items of one repository by id. Unknown ids are missing in the result. */
  byIds(repositoryId: string, ids: readonly string[], how?: 'held'): Promise<ReadonlyMap<string, T>>;
  /**
   * Runs inside a unit of work: waits until concurrent changes of the repository's items have ended.
   * @returns the number of items.
   */
  turn(granted: Writing): Promise<number>;
  /** The same as `create`, inside a unit of work. */
  add(granted: Writing, members: Omit<T, keyof RepositoryItem>): Promise<T>;
}

/**
 * Creates the use cases of one kind of item. The calling area checks the permissions.
 *
 * @example
 *   const own = repositoryItems<Label>({
 *     noun: 'label',
 *     rows: labels,
 *     most: 1000,
 *     tell: (change, about) => events.emit({ type: `label.${change}`, ...about }),
 *     unitOfWork,
 *     ids,
 *   });
 *   const create = async (granted: Granted<Repository, 'label.create', User>, name: string) =>
 *     own.create(granted, itemName(name, 64));
 */
export function repositoryItems<T extends RepositoryItem>(parts: ItemParts<T>): RepositoryItems<T> {
  const { noun, rows, most = Infinity, unitOfWork, ids } = parts;
  const missing = `There is no such ${noun}`;
  const own = ({ resource }: Granted<Repository, string>, which: Partial<T> = {}) =>
    ({ ...which, repositoryId: resource.id }) as Partial<T>;
  const named = (write: () => Promise<T | undefined>): Promise<T | undefined> =>
    onDuplicate(
      write,
      (cause) =>
        new Conflict(`The repository has a ${noun} of this name already`, {
          detail: '"name" is in use; names are compared case-insensitively',
          cause,
        }),
    );
  const told = async (change: ItemChange, { resource, call }: Writing, written: T | undefined): Promise<T> => {
    const item = found(written, missing);
    const payload = { repository_id: resource.id, id: item.id };
    await parts.tell(change, { ...aboutRepository(resource, call), payload });
    return item;
  };
  const items: RepositoryItems<T> = {
    fetch: async (granted, { id }) => found(await rows.findOne(own(granted, { id } as Partial<T>)), missing),
    create: (granted, members) => unitOfWork.run(() => items.add(granted, members)),
    update: (granted, id, patch) =>
      unitOfWork.run(async () => {
        await items.turn(granted);
        const before = await items.fetch(granted, { id });
        const change = changed(before, patch(before));
        if (Object.keys(change).length === 0) return before;
        return told('updated', granted, await named(() => rows.update(own(granted, { id } as Partial<T>), change)));
      }),
    delete: (granted, which) =>
      unitOfWork.run(async () => {
        await items.turn(granted);
        return told('deleted', granted, await rows.delete(own(granted, which)));
      }),
    async byIds(repositoryId, wanted, how) {
      if (wanted.length === 0) return new Map();
      const among = { id: wanted } as RowQuery<T>['among'] & object;
      const all = await rows.find({ where: { repositoryId } as Partial<T>, among, orderBy: ['id'] }, how);
      return new Map(all.map((item) => [item.id, item]));
    },
    turn: (granted) => rows.count(own(granted), 'held'),
    async add(granted, members) {
      if ((await items.turn(granted)) >= most)
        throw new Unprocessable(`The repository has ${most} ${noun}s already, and can have no more`, {
          detail: `Delete a ${noun} that is no longer needed`,
        });
      const item = { ...members, id: ids.uuid(), repositoryId: granted.resource.id } as unknown as T;
      return told('created', granted, await named(() => rows.insert(item)));
    },
  };
  return items;
}
