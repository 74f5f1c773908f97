// The context of a task in a worker thread: the objects of a repository, and a check that ends the task when it is
// aborted or takes too long.
import type { ObjectStore } from './object-store.ts';

export interface TaskContext {
  readonly directory: string;
  readonly store: ObjectStore;
  /** @throws if the task is aborted or has taken too long. */
  readonly check: () => void;
  /** Whether most of the time is over, for tasks that return what they have by then. */
  readonly isLate: () => boolean;
  /** A store of another repository on the same disk. */
  readonly other: (directory: string) => ObjectStore;
}
