// One repository's record with what other areas count of it.
import type { Granted } from '#core/kernel/access';
import type { Call, Caller, User } from '#core/kernel/caller';
import { HexforgeError, Unavailable } from '#core/kernel/errors';
import { noCounts, type RepositoryCounters, type RepositoryCounts } from './offers.ts';
import type { RepositoryParts } from './parts.ts';
import type { FoundCounts } from './ports.ts';
import type { Repository } from './repository.ts';

/** The record of a repository with what is counted of it. */
export interface RepositoryRecord {
  readonly repository: Repository;
  readonly counts: RepositoryCounts;
}

/** With what was counted in the query that found it, where it was asked for as such. */
export type CountedRepository = Repository & { readonly found?: FoundCounts };

/** Late: counters come from plugins that need this one. */
type Parts = Pick<RepositoryParts, 'store'> & { readonly counters: () => readonly RepositoryCounters[] };

export const fetchRepository =
  (parts: Parts) =>
  ({ resource, call }: Granted<Repository, 'repo.read'>): Promise<RepositoryRecord> =>
    recordOf(parts, resource, call.caller);

/**
 * The record of a repository that the caller has just made or changed.
 * @throws {Unavailable} where it cannot be read: the change stands, and is not to be taken for refused.
 */
export const recordRepository =
  (parts: Parts) =>
  async ({ caller }: Call<User>, { repository }: { readonly repository: Repository }): Promise<RepositoryRecord> => {
    try {
      return await recordOf(parts, repository, caller);
    } catch (cause) {
      const away = cause instanceof HexforgeError && ['unavailable', 'insufficient_storage'].includes(cause.kind);
      if (!away) throw cause;
      throw new Unavailable('The change was made, but what came of it cannot be shown now', {
        detail: `Fetch the repository "${repository.owner}/${repository.name}" later: ${cause.message}`,
        cause,
      });
    }
  };

/** The record of a repository the caller was found to be allowed to see. */
async function recordOf(
  { store, counters }: Parts,
  { found, ...repository }: CountedRepository,
  caller: Caller,
): Promise<RepositoryRecord> {
  const parts = await Promise.all([
    found === undefined
      ? store.ownCounts([repository.id], caller.kind === 'user' ? caller.id : undefined)
      : new Map([[repository.id, found]]),
    ...counters()
      .filter(({ view }) => view === undefined || found?.[view.member] === undefined)
      .map((counter) => counter.counts([repository.id], caller)),
  ]);
  const counts: RepositoryCounts = Object.assign({}, noCounts, ...parts.map((part) => part.get(repository.id)));
  // Document B: always false for anonymous callers, whatever a counter says.
  return { repository, counts: caller.kind === 'user' ? counts : { ...counts, starred: false, watching: false } };
}
