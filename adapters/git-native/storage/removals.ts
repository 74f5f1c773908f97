// Removals that last: what could not be removed, for want of descriptors or by a fault of the disk, is tried again with
// exponential back-off while the server runs, and once more when it stops.
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '#core/kernel/log';

/** Milliseconds until the first of the further attempts, and between them at the most. */
const backOff = { first: 500, most: 30_000 } as const;
/** Attempts at the stop of what still waits: by then the server has let go of its descriptors. */
const last = { attempts: 5, pause: 200 } as const;
const atOnce = 4;

type Removal = () => Promise<unknown>;

/** A file or folder with all that is in it; what programs that are ending still write there takes a moment. */
export const removeAll = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });

export class Removals {
  readonly #log: Log;
  readonly #firstMs: number;
  /** What could not be done yet, by what is to be removed. */
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
   * Resolves when it was tried once, and never rejects: who asks has no more to do about it.
   * @param removal how; it may find its work done. Default: `removeAll`.
   */
  async remove(path: string, removal: Removal = () => removeAll(path)): Promise<void> {
    const attempt = this.#attempt(path, removal, true).finally(() => this.#running.delete(attempt));
    this.#running.add(attempt);
    await attempt;
  }

  /** When it resolves, all is gone that can be; the rest goes with the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    // What is begun leads to more.
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

  /** Sooner again where something went. */
  async #again(): Promise<void> {
    const waiting = [...this.#waiting];
    const before = waiting.length;
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await this.#attempt(...next);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    this.#waitMs = this.#waiting.size < before ? this.#firstMs : Math.min(2 * this.#waitMs, backOff.most);
  }
}
