// The record of one repository, with the counts of other areas.
import type { Granted } from '#core/kernel/access/access';
import { afterChange } from '#core/kernel/storage/after-change';
import type { Call, Caller, User } from '#core/kernel/caller';
import { noCounts, type RepositoryCounters, type RepositoryCounts } from '../model/offers.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { CountedRepository } from '../model/ports.ts';
import type { Repository } from '../model/repository.ts';

/** The record of a repository with its counts. */
export interface RepositoryRecord {
  readonly repository: Repository;
  readonly counts: RepositoryCounts;
}

/** `counters` is a function, because the providers are plugins that depend on this one and start later. */
type Parts = Pick<RepositoryParts, 'store'> & { readonly counters: () => readonly RepositoryCounters[] };

export const fetchRepository =
  (parts: Parts) =>
  ({ resource, call }: Granted<Repository, 'repo.read'>): Promise<RepositoryRecord> =>
    recordOf(parts, resource, call.caller);

/** The bytes of its git objects on disk. */
export const sizeOf =
  ({ git }: Pick<RepositoryParts, 'git'>) =>
  ({ resource: { id } }: Granted<Repository, 'repo.read'>): Promise<number> =>
    git.size(id);

/** The record of a repository that the caller has just created or changed. @throws {Unavailable} as `afterChange`. */
export const recordRepository =
  (parts: Parts) =>
  ({ caller }: Call<User>, { repository }: { readonly repository: Repository }): Promise<RepositoryRecord> =>
    afterChange(`the repository "${repository.owner}/${repository.name}"`, () => recordOf(parts, repository, caller));

/** The record of a repository. The caller must have checked read access. */
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
  // Always false for anonymous callers, whatever a provider returns.
  return { repository, counts: caller.kind === 'user' ? counts : { ...counts, starred: false, watching: false } };
}
