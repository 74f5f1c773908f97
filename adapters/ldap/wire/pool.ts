// Service connections, which search for users. They are kept between checks; a user's password is never bound on one.
import { Answered, ConnectionFailed, resultCode, type Connection } from './connection.ts';

/** Milliseconds. Firewalls drop idle connections silently, so older ones are not used again. */
const longestIdle = 60_000;

/** Results of a search after which the connection is as good as before. */
const harmless: ReadonlySet<number> = new Set([
  resultCode.sizeLimitExceeded,
  resultCode.referral,
  resultCode.noSuchObject,
]);

export class Pool {
  readonly #open: (signal: AbortSignal) => Promise<Connection>;
  readonly #idle: Connection[] = [];
  readonly #used = new Set<Connection>();
  readonly #longestIdle: number;
  #sweeping: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param open opens a connection and binds the service account. */
  constructor(open: (signal: AbortSignal) => Promise<Connection>, idleMs = longestIdle) {
    this.#open = open;
    this.#longestIdle = idleMs;
  }

  /**
   * Runs an operation on a service connection. If a kept connection is dead, runs the operation again on a new one. A
   * connection on which an operation failed is closed.
   */
  async run<T>(work: (connection: Connection) => Promise<T>, signal: AbortSignal): Promise<T> {
    const kept = this.#take();
    if (kept !== undefined) {
      try {
        return await this.#use(kept, work);
      } catch (error) {
        if (!(error instanceof ConnectionFailed) || signal.aborted) throw error;
        // The server has restarted, so the others are dead too.
        this.#closeIdle();
      }
    }
    const opened = await this.#open(signal);
    opened.onClose(() => this.#forget(opened));
    return this.#use(opened, work);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#sweeping);
    this.#closeIdle();
    for (const connection of this.#used) connection.destroy();
  }

  #take(): Connection | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (last.isOpen && !this.#isOld(last)) return last;
      last.destroy();
    }
    return undefined;
  }

  readonly #isOld = ({ lastUsed }: Connection): boolean => performance.now() - lastUsed >= this.#longestIdle;

  #keep(connection: Connection): void {
    this.#idle.push(connection);
    this.#sweeping ??= setTimeout(() => {
      this.#sweeping = undefined;
      const kept = this.#idle.splice(0);
      for (const one of kept)
        if (this.#isOld(one)) one.destroy();
        else this.#keep(one);
    }, this.#longestIdle).unref();
  }

  async #use<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#used.add(connection);
    let healthy = false;
    try {
      const result = await work(connection);
      healthy = true;
      return result;
    } catch (error) {
      healthy = error instanceof Answered && harmless.has(error.code);
      throw error;
    } finally {
      this.#used.delete(connection);
      if (healthy && connection.isOpen && !this.#closed) this.#keep(connection);
      else connection.destroy();
    }
  }

  #forget(connection: Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #closeIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }
}
