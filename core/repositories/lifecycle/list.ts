// Lists the repositories that a caller can read. The query itself filters by visibility.
import type { Call } from '#core/kernel/caller';
import { Unauthorized } from '#core/kernel/errors';
import type { RepositoryParts } from '../model/parts.ts';
import { readerOf } from '../access/readable.ts';
import type { RepositoryFilter } from '../model/ports.ts';
import type { Repository } from '../model/repository.ts';

export interface ListCommand {
  /** Only the caller's own repositories. */
  readonly mine?: boolean | undefined;
  /** Only the repositories of this owner, by username. */
  readonly owner?: string | undefined;
}

/** The most repositories in a response. */
const caps = { mine: 100, owner: 50, visible: 50 } as const;

/** @throws {Unauthorized} for `mine` without a user. */
export const listRepositories =
  ({ store }: Pick<RepositoryParts, 'store'>) =>
  async ({ caller }: Call, { mine = false, owner }: ListCommand): Promise<readonly Repository[]> => {
    if (mine && caller.kind !== 'user')
      throw new Unauthorized('Your own repositories can be listed only when you are signed in');
    const filter: RepositoryFilter = {
      reader: readerOf(caller),
      ownerId: mine && caller.kind === 'user' ? caller.id : undefined,
      owner,
      limit: mine ? caps.mine : owner === undefined ? caps.visible : caps.owner,
    };
    return store.list(filter);
  };
