// Stars and watches of a user on a repository. Setting one that is set, or removing one that is not, changes nothing.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { NotFound } from '#core/kernel/errors';
import { aboutRepository } from '../model/events.ts';
import type { Mark } from '../model/mark.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { Repository } from '../model/repository.ts';

type Parts = Pick<RepositoryParts, 'marks' | 'unitOfWork' | 'events'>;
type Readable = Granted<Repository, 'repo.read', User>;

const happens = {
  star: { set: 'repository.starred', removed: 'repository.unstarred' },
  watch: { set: 'repository.watched', removed: 'repository.unwatched' },
} as const;

export const setMark =
  ({ marks, unitOfWork, events }: Parts, mark: Mark) =>
  ({ resource: repository, call }: Readable): Promise<void> =>
    unitOfWork.run(async () => {
      if (!(await marks.set(mark, repository.id, call.caller.id, call.now))) return;
      await events.emit({
        type: happens[mark].set,
        ...aboutRepository(repository, call),
        payload: { repository_id: repository.id, user_id: call.caller.id },
      });
    });

export const removeMark =
  ({ marks, unitOfWork, events }: Parts, mark: Mark) =>
  ({ resource: repository, call }: Readable): Promise<void> =>
    unitOfWork.run(async () => {
      if (!(await marks.remove(mark, repository.id, call.caller.id))) return;
      await events.emit({
        type: happens[mark].removed,
        ...aboutRepository(repository, call),
        payload: { repository_id: repository.id, user_id: call.caller.id },
      });
    });

/** @throws {NotFound} if the caller has not starred the repository. */
export const checkStarred =
  ({ marks }: Parts) =>
  async ({ resource, call }: Readable): Promise<void> => {
    if (!(await marks.has('star', resource.id, call.caller.id)))
      throw new NotFound('You have not starred this repository');
  };
