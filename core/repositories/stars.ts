// Stars and watching: a user's own marks on a repository. Setting one that is set, or removing one that is not, changes
// nothing.
import type { Granted } from '#core/kernel/access';
import type { Call, User } from '#core/kernel/caller';
import { NotFound } from '#core/kernel/errors';
import { aboutRepository } from './events.ts';
import type { Mark } from './people.ts';
import type { RepositoryParts } from './ports.ts';
import type { Repository } from './repository.ts';

type Parts = Pick<RepositoryParts, 'store' | 'unitOfWork' | 'events'>;
type Readable = Granted<Repository, 'repo.read'>;

const happens = {
  star: { set: 'repository.starred', removed: 'repository.unstarred' },
  watch: { set: 'repository.watched', removed: 'repository.unwatched' },
} as const;

export const setMark =
  ({ store, unitOfWork, events }: Parts, mark: Mark) =>
  (call: Call<User>, { resource: repository }: Readable): Promise<void> =>
    unitOfWork.run(async () => {
      if (!(await store.mark(mark, repository.id, call.caller.id, call.now))) return;
      await events.emit({
        type: happens[mark].set,
        ...aboutRepository(repository, call),
        payload: { repository_id: repository.id, user_id: call.caller.id },
      });
    });

export const removeMark =
  ({ store, unitOfWork, events }: Parts, mark: Mark) =>
  (call: Call<User>, { resource: repository }: Readable): Promise<void> =>
    unitOfWork.run(async () => {
      if (!(await store.unmark(mark, repository.id, call.caller.id))) return;
      await events.emit({
        type: happens[mark].removed,
        ...aboutRepository(repository, call),
        payload: { repository_id: repository.id, user_id: call.caller.id },
      });
    });

/** @throws {NotFound} where the caller has not starred it. */
export const checkStarred =
  ({ store }: Parts) =>
  async (call: Call<User>, { resource: repository }: Readable): Promise<void> => {
    const counts = await store.peopleCounts([repository.id], call.caller.id);
    if (counts.get(repository.id)?.starred !== true) throw new NotFound('You have not starred this repository');
  };
