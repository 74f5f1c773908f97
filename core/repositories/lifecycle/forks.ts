// Forks: creates a repository of the caller with the branches and tags of another one and a separate object store, and
// lists forks.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Conflict, found, NotFound, ValidationFailed } from '#core/kernel/errors';
import { offsetOf, type PageRequest } from '#core/kernel/page';
import { provisionRepository, type ProvisioningParts } from './create.ts';
import { aboutRepository, factOf } from '../model/events.ts';
import { readerOf } from '../access/readable.ts';
import type { Maintenance } from '../push/maintenance.ts';
import type { RepositoryParts } from '../model/parts.ts';
import {
  checkDescription,
  checkName,
  isAtMostAsVisible,
  type Repository,
  type Visibility,
} from '../model/repository.ts';

export interface ForkCommand {
  /** Absent: the name of the parent. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly visibility?: Visibility | undefined;
}

type Parts = ProvisioningParts & { readonly maintenance: Maintenance };

/** @throws {ValidationFailed | Conflict | NotFound | Unprocessable} */
export const forkRepository =
  (parts: Parts) =>
  async (granted: Granted<Repository, 'repo.read', User>, command: ForkCommand): Promise<Repository> => {
    const { store, git, events, ids, maintenance } = parts;
    const { resource: parent, call } = granted;
    const fork: Repository = {
      ...parent,
      id: ids.uuid(),
      ownerId: call.caller.id,
      owner: call.caller.username,
      name: checkName(command.name ?? parent.name),
      description: checkDescription(command.description ?? parent.description),
      visibility: checkForkVisibility(command.visibility ?? parent.visibility, parent),
      issueCode: '',
      createdAt: call.now,
      updatedAt: call.now,
    };
    try {
      await provisionRepository(parts, call, fork, {
        parentId: parent.id,
        // An upper bound of the size, because the fork only gets branches and tags.
        bytes: await git.size(parent.id),
        async make() {
          await git.fork(parent.id, fork.id, { defaultBranch: parent.defaultBranch, signal: call.signal });
          // Copying takes long, so the access recheck ensures that the caller can still read the parent.
          await granted.renew();
        },
        async within() {
          const { visibility } = found(await store.byId(parent.id));
          if (!isAtMostAsVisible(fork.visibility, visibility))
            throw new Conflict('The visibility of the repository changed while it was forked', { detail: 'Try again' });
          await events.emit({
            type: 'repository.forked',
            ...aboutRepository(fork, call),
            payload: { ...factOf(fork), parent_id: parent.id },
          });
        },
      });
    } catch (error) {
      // The parent may have been deleted during the copy, or before the record that refers to it was written. If that
      // cannot be read, the original error is thrown, because the fork may exist.
      const now = await store.byId(parent.id).catch(() => parent);
      throw now === undefined ? new NotFound('Not found', { cause: error }) : error;
    }
    maintenance.request(fork.id);
    return fork;
  };

/** The forks that the caller can read, most recently updated first. */
export const listForks =
  ({ store }: Pick<RepositoryParts, 'store'>) =>
  ({ resource, call }: Granted<Repository, 'repo.read'>, page: PageRequest): Promise<readonly Repository[]> =>
    store.list({ reader: readerOf(call.caller), parentId: resource.id, limit: page.perPage, offset: offsetOf(page) });

/** The repository that this one was forked from, if the caller can read it. */
export const readableParent =
  ({ store }: Pick<RepositoryParts, 'store'>) =>
  async ({ resource, call }: Granted<Repository, 'repo.read'>): Promise<Repository | undefined> => {
    const parent = await store.parentOf(resource.id);
    if (parent === undefined) return undefined;
    return (await store.list({ reader: readerOf(call.caller), ids: [parent.id], limit: 1 }))[0];
  };

/** A fork must not be more visible than its parent. @throws {ValidationFailed} */
export function checkForkVisibility(
  visibility: Visibility,
  parent: Pick<Repository, 'visibility'> | undefined,
): Visibility {
  if (parent === undefined || isAtMostAsVisible(visibility, parent.visibility)) return visibility;
  throw new ValidationFailed('A fork is at most as visible as what it was forked from', {
    detail: `"visibility" cannot be "${visibility}", for the parent is ${parent.visibility}`,
  });
}
