// The repositories that the caller of a search may read, and the error of a filter that cannot be resolved.
import type { Caller } from '#core/kernel/caller';
import { Internal, Unavailable, type HexforgeError } from '#core/kernel/errors';
import type { Reader, Repositories, Repository } from '#core/repositories/index';
import { mostReadable, type Readable } from '../model/readable.ts';

/** A filter whose failure is kept apart from failures of the back end. */
export interface Visibility {
  readonly readable: Readable;
  /** Those of these repositories that the caller can read now. @throws {Internal} */
  repositories(ids: readonly string[]): Promise<ReadonlyMap<string, Repository>>;
  /** Throws the failure, if the filter could not be resolved. */
  check(): void;
}

const readerOf = (caller: Caller): Reader =>
  caller.kind === 'user' ? { kind: 'user', id: caller.id, isAdmin: caller.isAdmin } : { kind: 'anonymous' };

/**
 * Resolves the filter once before the search, so that a search with a filter that cannot be resolved is never answered.
 * @throws {Internal}
 */
export async function visibilityOf(
  repositories: Pick<Repositories, 'readableIds' | 'readable'>,
  caller: Caller,
): Promise<Visibility> {
  let failure: unknown;
  async function asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      failure = error;
      throw unresolved(error);
    }
  }
  await asked(() => repositories.readableIds(caller, 0));

  async function read(): Promise<ReadonlySet<string>> {
    const ids = await asked(() => repositories.readableIds(caller, mostReadable));
    if (ids.length > mostReadable)
      throw new Unavailable('The caller can read more repositories than this search back end can filter by');
    return new Set(ids);
  }
  let ids: Promise<ReadonlySet<string>> | undefined;
  return {
    // The sections of one search share the ids.
    readable: { reader: readerOf(caller), ids: () => (ids ??= read()) },
    repositories: (some) => asked(() => repositories.readable(caller, some)),
    check() {
      if (failure !== undefined) throw unresolved(failure);
    },
  };
}

const unresolved = (cause: unknown): HexforgeError =>
  new Internal('The repositories that you can read could not be determined', { cause });
