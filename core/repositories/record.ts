// One repository's record with what other areas count of it.
import type { Granted } from '#core/kernel/access';
import { afterChange } from '#core/kernel/after-change';
import type { Call, Caller, User } from '#core/kernel/caller';
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

/** The record of a repository that the caller has just made or changed. @throws {Unavailable} as `afterChange`. */
export const recordRepository =
  (parts: Parts) =>
  ({ caller }: Call<User>, { repository }: { readonly repository: Repository }): Promise<RepositoryRecord> =>
    afterChange(`the repository "${repository.owner}/${repository.name}"`, () => recordOf(parts, repository, caller));

/** The record of a repository the caller was found to be allowed to see. */
async function recordOf(
  { store, counters }: Parts,
  { found, ...repository }: CountedRepository,
  caller: Caller,
): Promise<RepositoryRecord> {
  const { id } = repository;
  const left = counters().filter(({ view }) => view === undefined || found?.[view.member] === undefined);
  const asked = [
    ...(found === undefined ? [store.ownCounts([id], caller.kind === 'user' ? caller.id : undefined)] : []),
    ...left.map((counter) => counter.counts([id], caller)),
  ];
  const counts: RepositoryCounts = { ...noCounts, ...found };
  if (asked.length > 0) Object.assign(counts, ...(await Promise.all(asked)).map((part) => part.get(id)));
  // Document B: always false for anonymous callers, whatever a counter says.
  return { repository, counts: caller.kind === 'user' ? counts : { ...counts, starred: false, watching: false } };
}
