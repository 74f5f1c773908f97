// The owner of an event: the user, or the anonymous network, who caused it. Owners share the delivery fairly.
import { AsyncLocalStorage } from 'node:async_hooks';
import { userKey } from '#core/kernel/access/current-caller';

/** The owner of events without a user or network, such as those of jobs. */
export const server = 'server';

export class EventOwners {
  readonly #caller: () => string | undefined;
  readonly #handled = new AsyncLocalStorage<string>();

  /** @param caller returns the caller key of the current work. */
  constructor(caller: () => string | undefined = () => undefined) {
    this.#caller = caller;
  }

  /**
   * The owner of an event that is emitted now. Inside a handler it is the owner of the handled event, so that one
   * change whose handlers emit thousands of events has one share.
   */
  of(actorId: string | undefined): string {
    return this.#handled.getStore() ?? (actorId === undefined ? (this.#caller() ?? server) : userKey(actorId));
  }

  /** Runs the handler of an event of this owner. */
  handling<T>(owner: string, work: () => T): T {
    return this.#handled.run(owner, work);
  }
}
