// The repositories that a worker thread keeps open, and the context in which it runs a task.
import { Unavailable } from '#core/kernel/errors';
import { ObjectCaches, ObjectStore } from '../objects/object-store.ts';
import type { TaskContext } from '../objects/task-context.ts';
import type { TaskRequest } from '../threads/request.ts';

/** Repositories that one thread keeps open. */
const mostOpen = 24;

export class Aborted extends Error {}

interface Open {
  readonly store: ObjectStore;
  readonly generation: number;
}

export class Stores {
  readonly caches = new ObjectCaches();
  readonly #open = new Map<string, Open>();

  /** The store of a repository, with all packs that are there now. */
  of(directory: string, generation: number): ObjectStore {
    const known = this.#open.get(directory);
    this.#open.delete(directory);
    if (known !== undefined && known.generation !== generation) known.store.close();
    const open =
      known?.generation === generation
        ? known
        : { store: new ObjectStore([`${directory}/objects`], this.caches), generation };
    this.#open.set(directory, open);
    for (const [oldest, { store }] of this.#open) {
      if (this.#open.size <= mostOpen) break;
      store.close();
      this.#open.delete(oldest);
    }
    open.store.refresh();
    return open.store;
  }

  /** Closes the files of a repository. */
  forget(directory: string): void {
    this.#open.get(directory)?.store.close();
    this.#open.delete(directory);
  }

  generationOf(directory: string): number {
    return this.#open.get(directory)?.generation ?? 0;
  }
}

/** Runs a task with its context. */
export function withContext<T>(
  stores: Stores,
  { repository, aborted, deadlineMs }: TaskRequest,
  work: (context: TaskContext) => T,
): T {
  const { directory, generation, quarantine } = repository;
  const end = performance.now() + deadlineMs;
  const late = performance.now() + deadlineMs * 0.9;
  const check = (): void => {
    if (aborted[0] !== 0) throw new Aborted();
    if (performance.now() > end)
      throw new Unavailable('A computation in git took too long', { detail: 'Try again later, or ask for less' });
  };
  const own = stores.of(directory, generation);
  const store = quarantine === undefined ? own : new ObjectStore([quarantine, `${directory}/objects`], stores.caches);
  if (quarantine !== undefined) store.refresh();
  store.check = check;
  const borrowed: ObjectStore[] = [];
  const other = (folder: string): ObjectStore => {
    const lent = stores.of(folder, stores.generationOf(folder));
    lent.check = check;
    borrowed.push(lent);
    return lent;
  };
  try {
    check();
    return work({ directory, store, check, other, isLate: () => performance.now() > late });
  } finally {
    for (const each of [store, ...borrowed]) each.check = () => undefined;
    store.added.clear();
    if (quarantine !== undefined) store.close();
  }
}
