// Event delivery in memory, with the guarantees of the database's: in order per handler and aggregate, at least once,
// set aside after too many failures.
import type { EventOf } from '#core/kernel/events';
import type { Log } from '#core/kernel/log';
import type { OwnedSubscription } from '#core/kernel/storage';

export interface DeliveryTuning {
  /** After so many failed attempts an event is set aside for this handler. */
  readonly attempts: number;
  /** The first pause after a failure, doubled by each further one up to `longestPause`; milliseconds. */
  readonly pause: number;
  readonly longestPause: number;
}

export const defaultTuning: DeliveryTuning = { attempts: 10, pause: 100, longestPause: 60_000 };

/** The events one handler has yet to see of one aggregate. */
interface Chain {
  readonly events: EventOf[];
  /** Waiting to try again: not to be waited for. */
  failing: boolean;
}

export class MemoryDelivery {
  readonly #log: Log;
  readonly #tuning: DeliveryTuning;
  /** Where events wait that nobody was there to receive. */
  readonly #backlog: EventOf[];
  readonly #chains = new Map<string, Chain>();
  readonly #running = new Set<Promise<void>>();
  readonly #pauses = new Set<() => void>();
  #subscriptions: readonly OwnedSubscription[] | undefined;
  #broadcast: Promise<void> = Promise.resolve();
  #closed = false;
  #changed: () => void = () => undefined;

  constructor(log: Log, tuning: DeliveryTuning, backlog: EventOf[]) {
    this.#log = log;
    this.#tuning = tuning;
    this.#backlog = backlog;
  }

  start(subscriptions: readonly OwnedSubscription[]): void {
    if (this.#subscriptions !== undefined) throw new Error('events are being delivered already');
    const names = subscriptions.map(({ plugin, subscription }) => `${plugin} ${subscription.name}`);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`two subscriptions are named "${twice}"`);
    this.#subscriptions = subscriptions;
    this.publish(this.#backlog.splice(0));
  }

  publish(events: readonly EventOf[]): void {
    if (this.#subscriptions === undefined || this.#closed) {
      this.#backlog.push(...events);
      return;
    }
    for (const event of events) {
      for (const owned of this.#subscriptions) {
        if (owned.subscription.type !== event.type) continue;
        if (owned.subscription.delivery === 'durable') this.#enqueue(owned, event);
        else this.#broadcast = this.#broadcast.then(() => this.#handOut(owned, event));
      }
    }
  }

  /** Resolves when no event waits for its first attempt. What waits behind a failed one is not waited for. */
  async drained(): Promise<void> {
    await this.#broadcast;
    while (!this.#closed && [...this.#chains.values()].some(({ failing }) => !failing)) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
      await this.#broadcast;
    }
  }

  /** Starts nothing more, waits for what runs, and keeps what was not delivered. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#pauses) wake();
    this.#changed();
    await Promise.all([this.#broadcast, ...this.#running]);
    const left = new Map([...this.#chains.values()].flatMap(({ events }) => events.map((event) => [event.id, event])));
    this.#backlog.push(...left.values());
  }

  #enqueue(owned: OwnedSubscription, event: EventOf): void {
    const key = `${owned.plugin} ${owned.subscription.name} ${event.aggregate}`;
    const standing = this.#chains.get(key);
    if (standing !== undefined) {
      standing.events.push(event);
      return;
    }
    const chain: Chain = { events: [event], failing: false };
    this.#chains.set(key, chain);
    const running = this.#run(key, chain, owned).finally(() => {
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  async #run(key: string, chain: Chain, owned: OwnedSubscription): Promise<void> {
    let attempts = 0;
    for (let event = chain.events[0]; event !== undefined && !this.#closed; event = chain.events[0]) {
      const failure = await this.#attempt(owned, event);
      if (failure === undefined || (attempts += 1) >= this.#tuning.attempts) {
        if (failure !== undefined)
          this.#log.error(
            about(owned, event, { attempts, error: failure.message }),
            'an event was set aside: its handler failed too often',
          );
        attempts = 0;
        chain.failing = false;
        chain.events.shift();
        continue;
      }
      this.#log.warn(
        about(owned, event, { attempts, error: failure.message }),
        'the handler of an event failed; it will be called again',
      );
      chain.failing = true;
      this.#changed();
      await this.#pause(Math.min(this.#tuning.longestPause, this.#tuning.pause * 2 ** (attempts - 1)));
    }
    if (chain.events.length === 0) this.#chains.delete(key);
    this.#changed();
  }

  async #attempt(
    { subscription }: OwnedSubscription,
    event: EventOf,
  ): Promise<{ readonly message: string } | undefined> {
    try {
      // After the caller's own turn: a handler never runs inside the commit. A copy, as from a database.
      await Promise.resolve();
      await subscription.handle(structuredClone(event));
      return undefined;
    } catch (error) {
      return { message: error instanceof Error ? error.message : String(error) };
    }
  }

  async #handOut(owned: OwnedSubscription, event: EventOf): Promise<void> {
    const failure = await this.#attempt(owned, event);
    if (failure !== undefined)
      this.#log.warn(about(owned, event, { error: failure.message }), 'a broadcast handler failed');
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#pauses.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds).unref();
      this.#pauses.add(wake);
    });
  }
}

const about = ({ plugin, subscription }: OwnedSubscription, event: EventOf, more: object): object => ({
  plugin,
  subscription: subscription.name,
  event: event.id,
  type: event.type,
  ...more,
});
