// An audience: the followers of one topic with one credential, which share an access recheck before every message.
import { setImmediate as turn } from 'node:timers/promises';
import type { FairLimiter } from '#core/kernel/limits/fair-limiter';
import { HexforgeError, type ErrorKind } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import { stackOf } from '../descriptor/errors.ts';
import { closing, type Follower } from './follower.ts';

const refusals: ReadonlySet<ErrorKind> = new Set(['unauthorized', 'insufficient_scope', 'forbidden', 'not_found']);
/** Messages that may be queued during an access recheck. Only an unavailable database takes longer. */
const mostWaiting = 1000;
/** Messages sent in one event loop iteration. */
const atOnce = 200;

export interface AudienceOptions {
  /** Performs the access recheck; rejects if the credential or the access is lost. */
  readonly ask: () => Promise<unknown>;
  /** Ids of the user and of the resource that the access decision is about. */
  readonly about: ReadonlySet<string>;
  readonly limiter: FairLimiter;
  readonly log: Log;
}

export class Audience {
  readonly about: ReadonlySet<string>;
  readonly followers = new Set<Follower>();
  readonly #options: AudienceOptions;
  /** When the latest access recheck started. */
  #askedAt = performance.now();
  #waiting: Uint8Array[] = [];
  #doubted = false;
  #running: Promise<void> | undefined;

  constructor(options: AudienceOptions) {
    this.#options = options;
    this.about = options.about;
  }

  /**
   * Sends a message to the followers that still have access. The recheck starts after the message arrived; queued
   * messages share one.
   */
  tell(bytes: Uint8Array): void {
    if (this.#waiting.length >= mostWaiting) this.#end(closing.tryAgain, 'Too many messages at once');
    else this.#waiting.push(bytes);
    void this.#run();
  }

  /** Rechecks access, and closes the connections if it is lost. Never rejects. */
  async doubt(): Promise<void> {
    this.#doubted = true;
    await this.#run();
  }

  isOlder(milliseconds: number): boolean {
    return performance.now() - this.#askedAt >= milliseconds;
  }

  #run(): Promise<void> {
    this.#running ??= Promise.resolve().then(() => this.#work());
    return this.#running;
  }

  async #work(): Promise<void> {
    while (this.followers.size > 0 && (this.#doubted || this.#waiting.length > 0))
      await this.#send(await this.#permitted());
    // Cleared in the same synchronous step as the last check of the loop; otherwise a message added in between would
    // start no new run.
    this.#running = undefined;
  }

  /** The messages that were queued when the recheck started, or an empty list if access is lost. Never rejects. */
  async #permitted(): Promise<readonly Uint8Array[]> {
    const { limiter, ask, log } = this.#options;
    try {
      return await limiter.run(async () => {
        const messages = this.#waiting.splice(0);
        this.#doubted = false;
        this.#askedAt = performance.now();
        await ask();
        return messages;
      });
    } catch (error) {
      if (error instanceof HexforgeError && refusals.has(error.kind))
        this.#end(
          closing.refused,
          error.kind === 'unauthorized' ? 'The credential is no longer valid' : 'Access was lost',
        );
      else {
        log.warn({ stack: stackOf(error) }, 'access of live connections could not be asked for');
        this.#end(closing.tryAgain, 'Access cannot be asked for at the moment');
      }
      return [];
    }
  }

  async #send(messages: readonly Uint8Array[]): Promise<void> {
    let sent = 0;
    for (const bytes of messages)
      for (const follower of this.followers) {
        follower.tell(bytes);
        sent += 1;
        if (sent % atOnce === 0) await turn();
      }
  }

  #end(code: number, reason: string): void {
    this.#waiting = [];
    this.#doubted = false;
    for (const follower of this.followers) follower.end(code, reason);
    this.followers.clear();
  }
}
