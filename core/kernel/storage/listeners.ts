// Delivers events to broadcast handlers. Each handler has a separate queue, so a slow handler does not delay others.
import { typesOf, type EventOf } from './events.ts';
import type { Log } from '../services/log.ts';
import type { OwnedSubscription } from './storage.ts';

/** Maximum queue length of one handler. Further events are dropped for it, which broadcast delivery permits. */
const longestQueue = 1000;

interface Listener extends OwnedSubscription {
  queue: Promise<void>;
  behind: number;
  losing: boolean;
}

export class Listeners {
  /** The event types that have at least one handler. */
  readonly types: readonly string[];
  readonly #listeners: readonly Listener[];
  readonly #log: Log;
  #ended = false;

  constructor(subscriptions: readonly OwnedSubscription[], log: Log) {
    this.#listeners = subscriptions
      .filter(({ subscription }) => subscription.delivery === 'broadcast')
      .map((owned) => ({ ...owned, queue: Promise.resolve(), behind: 0, losing: false }));
    this.types = [
      ...new Set(this.#listeners.flatMap(({ subscription }) => typesOf(subscription) as readonly string[])),
    ];
    this.#log = log;
  }

  /** Drops all queued events, which broadcast delivery permits. */
  end(): void {
    this.#ended = true;
  }

  hand(event: EventOf): void {
    if (this.#ended) return;
    for (const listener of this.#listeners) {
      if (!typesOf(listener.subscription).includes(event.type)) continue;
      if (listener.behind >= longestQueue) {
        if (!listener.losing)
          this.#warn(listener, event, 'a broadcast handler is too far behind: events are lost to it');
        listener.losing = true;
        continue;
      }
      listener.losing = false;
      listener.behind += 1;
      listener.queue = listener.queue.then(() => this.#call(listener, event));
    }
  }

  /** Resolves when all events queued so far have been handled. */
  async idle(): Promise<void> {
    await Promise.all(this.#listeners.map(({ queue }) => queue));
  }

  async #call(listener: Listener, event: EventOf): Promise<void> {
    try {
      if (!this.#ended) await listener.subscription.handle(event);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#warn(listener, event, 'a broadcast handler failed', message);
    }
    listener.behind -= 1;
  }

  #warn({ plugin, subscription }: Listener, { id }: EventOf, message: string, error?: string): void {
    this.#log.warn(
      { plugin, subscription: subscription.name, event: id, ...(error === undefined ? {} : { error }) },
      message,
    );
  }
}
