// Event delivery in memory, with the guarantees of the database's delivery: in order per handler and aggregate, at
// least once, dead-lettered after too many failures, and bounded for a subscription without a running handler.
import type { EventOf } from '#core/kernel/storage/events';
import { Listeners } from '#core/kernel/storage/listeners';
import type { Log } from '#core/kernel/services/log';
import { keptError, parkedMessage, pastEvents, type OwnedSubscription } from '#core/kernel/storage/storage';
import type { Delivered, Memory, Remembered } from './state.ts';
import { delivery, nameOf, remember } from './subscriptions.ts';

export interface DeliveryTuning {
  /** After this many failed attempts an event becomes a dead letter of this handler. */
  readonly attempts: number;
  /** The first pause after a failure, doubled by each further one up to `longestPause`; milliseconds. */
  readonly pause: number;
  readonly longestPause: number;
  /** How long a stop waits for running handlers; milliseconds. */
  readonly closing: number;
}

export const defaultTuning: DeliveryTuning = { attempts: 10, pause: 100, longestPause: 60_000, closing: 3000 };

export interface DeliveryOptions {
  readonly log: Log;
  readonly tuning: DeliveryTuning;
  readonly memory: Memory;
  readonly kept: { readonly events: number; readonly days: number };
}

const day = 86_400_000;

/** The undelivered events of one aggregate for one handler. */
interface Chain {
  readonly owned: OwnedSubscription;
  readonly of: Remembered;
  readonly events: Delivered[];
  /** Whether the first event is pending a retry; `drained` does not wait for such a chain. */
  failing: boolean;
}

export class MemoryDelivery {
  readonly #options: DeliveryOptions;
  readonly #handlers = new Map<string, OwnedSubscription>();
  readonly #chains = new Map<string, Chain>();
  readonly #running = new Set<Promise<void>>();
  readonly #pauses = new Set<() => void>();
  #listeners: Listeners | undefined;
  #closed: Promise<void> | undefined;
  #changed: () => void = () => undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  start(
    subscriptions: readonly OwnedSubscription[],
    plugins: readonly string[] = subscriptions.map(({ plugin }) => plugin),
  ): void {
    if (this.#listeners !== undefined) throw new Error('events are being delivered already');
    const { memory, log } = this.#options;
    const durable = subscriptions.filter(({ subscription }) => subscription.delivery === 'durable');
    remember(memory, durable, plugins, this.#options.kept.events);
    for (const owned of durable) this.#handlers.set(nameOf(owned.plugin, owned.subscription.name), owned);
    this.#listeners = new Listeners(subscriptions, log);
    this.resume();
    this.publish(memory.backlog.splice(0));
    for (const one of memory.subscriptions.values()) this.#bound(one);
  }

  publish(events: readonly EventOf[]): void {
    const { memory } = this.#options;
    if (this.#listeners === undefined || this.#closed !== undefined) {
      memory.backlog.push(...events);
      return;
    }
    for (const event of events) {
      for (const [key, one] of memory.subscriptions) {
        if (one.forgotten || !one.types.includes(event.type)) continue;
        const delivered = delivery(event);
        one.waiting.add(delivered);
        const owned = this.#handlers.get(key);
        if (owned === undefined) this.#bound(one);
        else this.#enqueue(owned, one, delivered);
      }
      this.#listeners.hand(event);
    }
    memory.past.push(...events);
    memory.past.splice(0, memory.past.length - pastEvents.events);
  }

  /** Queues waiting events that are not in a chain: those of an earlier opening, and replayed ones. */
  resume(): void {
    const under = new Set([...this.#chains.values()].flatMap(({ events }) => events));
    for (const [key, one] of this.#options.memory.subscriptions) {
      const owned = this.#handlers.get(key);
      for (const delivered of owned === undefined ? [] : one.waiting)
        if (owned !== undefined && !under.has(delivered)) this.#enqueue(owned, one, delivered);
    }
  }

  /** Resolves when no event waits for its first attempt. Events behind a failed one are not waited for. */
  async drained(): Promise<void> {
    await this.#listeners?.idle();
    while (this.#closed === undefined && [...this.#chains.values()].some(({ failing }) => !failing)) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
      await this.#listeners?.idle();
    }
  }

  /** Starts no more handlers, waits up to `closing` ms for running ones, and keeps undelivered events. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // Continues after `#closed` is set.
    await Promise.resolve();
    this.#listeners?.end();
    for (const wake of this.#pauses) wake();
    this.#changed();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.tuning.closing);
    });
    await Promise.race([Promise.all([this.#listeners?.idle(), ...this.#running]), late]);
    clearTimeout(timer);
  }

  /** For a subscription without a handler: discards events beyond the bound, and counts them as missed. */
  #bound(one: Remembered): void {
    if (this.#handlers.has(nameOf(one.plugin, one.name))) return;
    const { events, days } = this.#options.kept;
    for (const delivered of one.waiting) {
      if (one.waiting.size <= events && Date.now() - delivered.event.at.getTime() <= days * day) return;
      one.waiting.delete(delivered);
      one.missed += 1;
    }
  }

  #enqueue(owned: OwnedSubscription, of: Remembered, delivered: Delivered): void {
    const key = `${nameOf(of.plugin, of.name)} ${delivered.event.aggregate}`;
    const standing = this.#chains.get(key);
    if (standing !== undefined) {
      standing.events.push(delivered);
      return;
    }
    const chain: Chain = { owned, of, events: [delivered], failing: false };
    this.#chains.set(key, chain);
    const running = this.#run(key, chain).finally(() => {
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  async #run(key: string, chain: Chain): Promise<void> {
    for (let next = chain.events[0]; next !== undefined && this.#closed === undefined; next = chain.events[0]) {
      const failure = await this.#attempt(chain.owned, next.event);
      if (failure === undefined) this.#end(chain, next);
      else if (this.#closed === undefined) await this.#fail(chain, next, failure.message);
    }
    if (chain.events.length === 0) this.#chains.delete(key);
    this.#changed();
  }

  #end(chain: Chain, delivered: Delivered): void {
    chain.of.waiting.delete(delivered);
    chain.failing = false;
    chain.events.shift();
  }

  async #fail(chain: Chain, delivered: Delivered, error: string): Promise<void> {
    const { log, tuning } = this.#options;
    delivered.attempts += 1;
    delivered.error = keptError(error);
    const { attempts, event } = delivered;
    const { plugin, subscription } = chain.owned;
    const members = { plugin, subscription: subscription.name, event: event.id, type: event.type, attempts, error };
    if (attempts >= tuning.attempts) {
      delivered.parkedAt = new Date();
      chain.of.parked.add(delivered);
      this.#end(chain, delivered);
      log.error(members, parkedMessage);
      return;
    }
    log.warn(members, 'the handler of an event failed; it will be called again');
    chain.failing = true;
    this.#changed();
    await this.#pause(Math.min(tuning.longestPause, tuning.pause * 2 ** (attempts - 1)));
  }

  async #attempt(
    { subscription }: OwnedSubscription,
    event: EventOf,
  ): Promise<{ readonly message: string } | undefined> {
    try {
      // Runs the handler asynchronously, never inside the commit, with a copy of the event, as from a database.
      await Promise.resolve();
      await subscription.handle(structuredClone(event));
      return undefined;
    } catch (error) {
      return { message: error instanceof Error ? error.message : String(error) };
    }
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
