// Common parts of things that are numbered per repository, such as issues and merge requests: slices of lists, the
// check of who may change one, and reading them for the site-wide search.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Forbidden } from '#core/kernel/errors';
import { offsetOf, type PageRequest } from '#core/kernel/page';
import type { Repository } from '../model/repository.ts';

/** The members that they have in common. */
export interface Numbered {
  readonly id: string;
  readonly repositoryId: string;
  /** Per repository, from 1, without gaps; never reused. */
  readonly number: number;
}

/** The largest number. The column is a 32-bit integer. */
export const lastNumber = 2 ** 31 - 1;

/** A part of a list, and its order by number. */
export interface NumberedSlice {
  readonly order: 'newest' | 'oldest';
  /** Only items that follow this number in the order. */
  readonly beyond?: number | undefined;
  readonly limit: number;
  readonly offset: number;
  /** The most characters of long texts, plus one character more if the text is longer. Absent: whole texts. */
  readonly texts?: number | undefined;
}

/** Converts a page to a slice. */
export const numberedPage = (page: PageRequest, order: NumberedSlice['order']): NumberedSlice => ({
  order,
  limit: page.perPage,
  offset: offsetOf(page),
});

/**
 * Allows the author and holders of the permission.
 * @param what the noun in the error message: `issue`.
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

/** Reads numbered items for the site-wide search index. */
export interface IndexedThings<T extends Numbered> {
  /** Undefined if the item does not exist. */
  one(repositoryId: string, number: number): Promise<T | undefined>;
  /** Sorted by number. Includes items that are created meanwhile. */
  all(repositoryId: string): AsyncIterable<T>;
}

/** How many items are read at a time. */
const piece = 100;

/** Reads the items from their store. */
export const indexedThings = <T extends Numbered>(store: {
  byNumber(repositoryId: string, number: number): Promise<T | undefined>;
  list(repositoryId: string, filter: object, slice: NumberedSlice): Promise<readonly T[]>;
}): IndexedThings<T> => ({
  one: (repositoryId, number) => store.byNumber(repositoryId, number),
  async *all(repositoryId) {
    for (let beyond = 0; ;) {
      const things = await store.list(repositoryId, {}, { order: 'oldest', beyond, limit: piece, offset: 0 });
      yield* things;
      const last = things.at(-1);
      if (last === undefined) return;
      beyond = last.number;
    }
  },
});
