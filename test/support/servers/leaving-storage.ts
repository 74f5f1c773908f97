// A storage in memory whose database becomes unavailable right after a commit, to test what is reported of a change
// that is already committed.
import type { MemoryStorage } from '#adapters/memory/index';
import { Unavailable } from '#core/kernel/errors';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';

export interface LeavingStorage extends MemoryStorage {
  /** After this many more commits, every statement is rejected as Unavailable. */
  leaveAfter(commits: number): void;
  comeBack(): void;
  /** Wraps another port so that it is unavailable together with the database. */
  along<T extends object>(port: T): T;
}

export function leavingStorage(storage: MemoryStorage): LeavingStorage {
  let left = Number.POSITIVE_INFINITY;
  const check = (): void => {
    if (left <= 0) throw new Unavailable('The database does not answer');
  };
  const along = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: readonly unknown[]): unknown => {
          check();
          return Reflect.apply(member, target, given);
        };
      },
    });
  const unitOfWork: UnitOfWork = {
    get active() {
      return storage.unitOfWork.active;
    },
    async run(work) {
      check();
      const result = await storage.unitOfWork.run(work);
      left -= 1;
      return result;
    },
  };
  return {
    ...storage,
    unitOfWork,
    database: { ...storage.database, table: (name, options) => along(storage.database.table(name, options)) },
    leaveAfter: (commits) => void (left = commits),
    comeBack: () => void (left = Number.POSITIVE_INFINITY),
    along,
  };
}
