// What a repository gives numbers, such as issues and merge requests: how lists of it are cut, who may change one, and
// how a search of the whole site reads them.
import type { Granted } from '#core/kernel/access';
import type { User } from '#core/kernel/caller';
import { Forbidden } from '#core/kernel/errors';
import { offsetOf, type PageRequest } from '#core/kernel/page';
import type { Repositories } from './offers.ts';
import type { Repository } from './repository.ts';

/** What each of them has. */
export interface Numbered {
  readonly id: string;
  readonly repositoryId: string;
  /** Per repository, from 1, without gaps; never given twice. */
  readonly number: number;
}

/** Past it no row has a number: the column is an integer. */
export const lastNumber = 2 ** 31 - 1;

/** Which rows of a list, and in which order; numbers tell all apart. */
export interface NumberedSlice {
  readonly order: 'newest' | 'oldest';
  /** Those alone that come after this number in the order. */
  readonly beyond?: number | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Characters past which long texts are cut, so that more than these tells of a cut; absent, they are whole. */
  readonly texts?: number | undefined;
}

/** The slice that a page is. */
export const numberedPage = (page: PageRequest, order: NumberedSlice['order']): NumberedSlice => ({
  order,
  limit: page.perPage,
  offset: offsetOf(page),
});

/**
 * The author, and whoever holds the permission.
 * @param what it is called in the refusal: `issue`.
 * @throws {Forbidden}
 */
export function checkAuthorOr(
  granted: Granted<Repository, string, User>,
  { authorId }: { readonly authorId: string },
  { what, permission }: { readonly what: string; readonly permission: string },
): void {
  if (authorId === granted.call.caller.id || granted.may(permission)) return;
  throw new Forbidden(`You may not change this ${what}`, {
    detail: `You did not open it, and it needs the permission "${permission}"`,
  });
}

/** One of them with its repository. */
export interface Indexed<T extends Numbered> {
  readonly thing: T;
  readonly repository: Repository;
}

/** What a search of the whole site reads of them, to be indexed. */
export interface IndexedThings<T extends Numbered> {
  /** Undefined where it is gone, or its repository. */
  one(repositoryId: string, number: number): Promise<Indexed<T> | undefined>;
  /** In the order of their numbers; those that are opened meanwhile too. */
  all(repositoryId: string): AsyncIterable<Indexed<T>>;
}

/** Of them, what is read at a time. */
const piece = 100;

/** Reads them from their store. */
export const indexedThings = <T extends Numbered>({
  store,
  repositories,
}: {
  readonly store: {
    byNumber(repositoryId: string, number: number): Promise<T | undefined>;
    list(repositoryId: string, filter: object, slice: NumberedSlice): Promise<readonly T[]>;
  };
  readonly repositories: Pick<Repositories, 'byId'>;
}): IndexedThings<T> => ({
  async one(repositoryId, number) {
    const repository = await repositories.byId(repositoryId);
    const thing = repository && (await store.byNumber(repositoryId, number));
    return repository && thing && { thing, repository };
  },
  async *all(repositoryId) {
    const repository = await repositories.byId(repositoryId);
    if (repository === undefined) return;
    for (let beyond = 0; ;) {
      const things = await store.list(repositoryId, {}, { order: 'oldest', beyond, limit: piece, offset: 0 });
      for (const thing of things) yield { thing, repository };
      const last = things.at(-1);
      if (last === undefined) return;
      beyond = last.number;
    }
  },
});
