// Removals with retries: a removal that fails, for want of descriptors or by a fault of the disk, is retried with
// exponential backoff while the server runs, and once more when it stops.
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '#core/kernel/services/log';
import { fewFiles } from '#adapters/git-common/files/few-files';
import { removeAll } from '#adapters/git-common/files/remove-all';

/** Milliseconds until the first retry, and the maximum between two retries. */
const backOff = { first: 500, most: 30_000 } as const;
/** Attempts when the server stops. By then it has released its descriptors. */
const last = { attempts: 5, pause: 200 } as const;
const atOnce = 4;

type Removal = () => Promise<unknown>;

export class Removals {
  readonly #log: Log;
  readonly #firstMs: number;
  /** Removals that have not succeeded yet, by path. */
  readonly #waiting = new Map<string, Removal>();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #waitMs: number;
  #closed = false;

  constructor(log: Log, firstMs: number = backOff.first) {
    this.#log = log;
    this.#firstMs = firstMs;
    this.#waitMs = firstMs;
  }

  /**
   * Resolves after the first attempt and never rejects: the caller has nothing more to do.
   * @param removal how to remove it; it may find nothing. Default: `removeAll`.
   */
  async remove(path: string, removal: Removal = () => removeAll(path)): Promise<void> {
    const attempt = this.#attempt(path, removal, true).finally(() => this.#running.delete(attempt));
    this.#running.add(attempt);
    await attempt;
  }

  /** Resolves when all that can be removed is removed. The next start removes the rest. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    // A running removal may start further ones.
    while (this.#running.size > 0) await Promise.all(this.#running);
    for (let attempt = 1; this.#waiting.size > 0; attempt += 1) {
      await this.#again();
      if (this.#waiting.size === 0 || attempt === last.attempts) break;
      await pause(last.pause);
    }
    if (this.#waiting.size > 0)
      this.#log.error({ paths: [...this.#waiting.keys()].slice(0, 20) }, 'left for the next start to remove');
  }

  async #attempt(path: string, removal: Removal, first = false): Promise<void> {
    try {
      await removal();
      this.#waiting.delete(path);
    } catch (error) {
      this.#waiting.set(path, removal);
      if (first) this.#log.warn({ path, err: error }, 'something could not be removed yet: it is tried again');
      this.#wait();
    }
  }

  #wait(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      const round = this.#again().finally(() => {
        this.#running.delete(round);
        this.#timer = undefined;
        if (this.#waiting.size > 0) this.#wait();
      });
      this.#running.add(round);
    }, this.#waitMs).unref();
  }

  /** Retries all. The delay is reset if a removal succeeded. */
  async #again(): Promise<void> {
    const before = this.#waiting.size;
    await fewFiles([...this.#waiting], (waiting) => this.#attempt(...waiting), atOnce);
    this.#waitMs = this.#waiting.size < before ? this.#firstMs : Math.min(2 * this.#waitMs, backOff.most);
  }
}
