// A change of a label or a milestone: in turn with others of its repository, and together with its event.
import type { Granted } from '#core/kernel/access';
import type { User } from '#core/kernel/caller';
import { found, Unprocessable } from '#core/kernel/errors';
import type { RowQuery, Rows } from '#core/kernel/rows';
import type { Ids } from '#core/kernel/time';
import type { Events, UnitOfWork } from '#core/kernel/unit-of-work';
import { aboutRepository, type Repository } from '#core/repositories/index';

/** What a change of either needs. */
export interface ChangeParts {
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly ids: Ids;
}

type Writing = Granted<Repository, string, User>;

export interface Changes<T> {
  /** @throws {NotFound} */
  fetch(granted: Granted<Repository, string>, id: string): Promise<T>;
  /** @throws {Duplicate | Unprocessable} */
  create(granted: Writing, thing: T): Promise<T>;
  /** @throws {NotFound | Duplicate} */
  update(granted: Writing, id: string, patch: (before: T) => Partial<T>): Promise<T>;
  /** @throws {NotFound} */
  delete(granted: Writing, which: Partial<T>): Promise<T>;
  /** Waits, in the unit of work that is open, for the change before it. @returns how many there are. */
  turn(granted: Writing): Promise<number>;
  /** `create` in the unit of work that is open. */
  add(granted: Writing, thing: T): Promise<T>;
  /** A batch; with `held` none of it is deleted until the unit of work that is open ends. */
  byIds(repositoryId: string, ids: readonly string[], how?: 'held'): Promise<ReadonlyMap<string, T>>;
}

export function changesOf<T extends { readonly id: string; readonly repositoryId: string }>(
  noun: 'label' | 'milestone',
  rows: Rows<T>,
  most: number,
  { unitOfWork, events }: ChangeParts,
): Changes<T> {
  const missing = `There is no such ${noun}`;
  const own = (repositoryId: string, id?: string) => ({ ...(id !== undefined && { id }), repositoryId }) as Partial<T>;
  const tell = async (what: 'created' | 'updated' | 'deleted', { resource, call }: Writing, thing: T): Promise<T> => {
    const payload = { repository_id: resource.id, id: thing.id };
    await events.emit({ type: `${noun}.${what}`, ...aboutRepository(resource, call), payload });
    return thing;
  };
  const changes: Changes<T> = {
    fetch: async ({ resource }, id) => found(await rows.findOne(own(resource.id, id)), missing),
    create: (granted, thing) => unitOfWork.run(() => changes.add(granted, thing)),
    update: (granted, id, patch) =>
      unitOfWork.run(async () => {
        await changes.turn(granted);
        const before = await changes.fetch(granted, id);
        const changed = patch(before);
        if (Object.keys(changed).length === 0) return before;
        return tell('updated', granted, found(await rows.update(own(granted.resource.id, id), changed), missing));
      }),
    delete: (granted, which) =>
      unitOfWork.run(async () => {
        await changes.turn(granted);
        const gone = await rows.delete({ ...which, ...own(granted.resource.id) });
        return tell('deleted', granted, found(gone, missing));
      }),
    turn: ({ resource }) => rows.count(own(resource.id), 'held'),
    async add(granted, thing) {
      if ((await changes.turn(granted)) >= most)
        throw new Unprocessable(`The repository has ${most} ${noun}s already, and can have no more`, {
          detail: `Delete a ${noun} that is no longer needed`,
        });
      return tell('created', granted, await rows.insert(thing));
    },
    async byIds(repositoryId, ids, how) {
      if (ids.length === 0) return new Map();
      const among = { id: ids } as RowQuery<T>['among'] & object;
      const all = await rows.find({ where: own(repositoryId), among, orderBy: ['id'] }, how);
      return new Map(all.map((thing) => [thing.id, thing]));
    },
  };
  return changes;
}
