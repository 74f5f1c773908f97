// The users and repositories that the contract suite of `SearchBackend` needs, and an implementation in memory.
import { randomUUID } from 'node:crypto';
import { mayRead, type Reader, type Visibility } from '#core/repositories/index';
import type { Readable } from '#core/search/index';

/**
 * Users, repositories and who may read them. A back end that joins `repositories_readable_by` needs a world in the same
 * database. Ids are UUIDs.
 */
export interface SearchWorld {
  /** Adds a user who is not an administrator. @returns the id. */
  user(): Promise<string>;
  /** Adds a repository. @returns the id. */
  repository(ownerId: string, visibility: Visibility): Promise<string>;
  /** Makes the user a collaborator with the role `read`. */
  addReader(repositoryId: string, userId: string): Promise<unknown>;
  removeReader(repositoryId: string, userId: string): Promise<unknown>;
  changeVisibility(repositoryId: string, visibility: Visibility): Promise<unknown>;
  removeRepository(repositoryId: string): Promise<unknown>;
  readable(reader: Reader): Readable;
}

/** A world for back ends that use `Readable.ids` and no database of the forge. */
export function memoryWorld(): SearchWorld {
  const repositories = new Map<string, { readonly ownerId: string; visibility: Visibility }>();
  const collaborators = new Map<string, Set<string>>();
  const role = { role: 'read', permissions: [] } as const;
  const readersOf = (repositoryId: string): Set<string> => collaborators.get(repositoryId) ?? new Set();

  return {
    user: async () => randomUUID(),
    async repository(ownerId, visibility) {
      const id = randomUUID();
      repositories.set(id, { ownerId, visibility });
      return id;
    },
    addReader: async (id, userId) => collaborators.set(id, readersOf(id).add(userId)),
    removeReader: async (id, userId) => readersOf(id).delete(userId),
    async changeVisibility(id, visibility) {
      const repository = repositories.get(id);
      if (repository !== undefined) repository.visibility = visibility;
    },
    removeRepository: async (id) => repositories.delete(id),
    readable: (reader) => ({
      reader,
      ids: async () =>
        new Set(
          [...repositories]
            .filter(([id, repository]) =>
              mayRead(repository, reader.kind === 'user' && readersOf(id).has(reader.id) ? role : undefined, reader),
            )
            .map(([id]) => id),
        ),
    }),
  };
}
