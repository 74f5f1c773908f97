// The repositories that the caller of a search may read, and the error of a filter that cannot be resolved.
import type { Caller } from '#core/kernel/caller';
import { Internal, Unavailable, type HexforgeError } from '#core/kernel/errors';
import type { Reader, Repositories } from '#core/repositories/index';
import { mostReadable, type Readable } from '../model/readable.ts';

/** A filter whose failure is kept apart from failures of the back end. */
export interface Visibility {
  readonly readable: Readable;
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
  repositories: Pick<Repositories, 'readableIds'>,
  caller: Caller,
): Promise<Visibility> {
  let failure: unknown;
  const asked = async (most: number): Promise<readonly string[]> => {
    try {
      return await repositories.readableIds(caller, most);
    } catch (error) {
      failure = error;
      throw unresolved(error);
    }
  };
  await asked(0);
  return {
    readable: {
      reader: readerOf(caller),
      async ids() {
        const ids = await asked(mostReadable);
        if (ids.length > mostReadable)
          throw new Unavailable('The caller can read more repositories than this search back end can filter by');
        return new Set(ids);
      },
    },
    check() {
      if (failure !== undefined) throw unresolved(failure);
    },
  };
}

const unresolved = (cause: unknown): HexforgeError =>
  new Internal('The repositories that you can read could not be determined', { cause });
