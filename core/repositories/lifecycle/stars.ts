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
  star: { set: 'repository.starred', remove: 'repository.unstarred' },
  watch: { set: 'repository.watched', remove: 'repository.unwatched' },
} as const;

export const changeMark =
  ({ marks, unitOfWork, events }: Parts, how: 'set' | 'remove', mark: Mark) =>
  ({ resource: { id }, call }: Readable): Promise<void> =>
    unitOfWork.run(async () => {
      const { id: userId } = call.caller;
      if (!(await marks[how](mark, id, userId, call.now))) return;
      const payload = { repository_id: id, user_id: userId };
      await events.emit({ type: happens[mark][how], ...aboutRepository({ id }, call), payload });
    });

/** @throws {NotFound} if the caller has not starred the repository. */
export const checkStarred =
  ({ marks }: Parts) =>
  async ({ resource, call }: Readable): Promise<void> => {
    if (!(await marks.has('star', resource.id, call.caller.id)))
      throw new NotFound('You have not starred this repository');
  };
