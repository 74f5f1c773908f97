// Computations that take more time or memory than git may use: the error, and a cache of such errors, so that repeating
// the request costs nothing.
import { Unavailable } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import type { GitProcess } from './git-process.ts';

/** Seconds for which the same request gets the same error. */
const rememberedSeconds = 60;
const mostRemembered = 10_000;

/** 503: the request costs more than one answer may. */
export class TooCostly extends Unavailable {
  constructor(why: string, retryAfter = rememberedSeconds) {
    super(why, { detail: 'It takes more time or memory than one answer may; ask for less of it', retryAfter });
  }
}

/** `TooCostly` because of the time. */
export class TooSlow extends TooCostly {}

/** Whether git met `GIT_ALLOC_LIMIT`. Its message differs from that of a machine without free memory. */
export const isOutOfMemory = (stderr: string): boolean => stderr.includes('attempting to allocate');

/** @throws {TooCostly} if a process that has ended exceeded its deadline or needed too much memory. */
export function refuseTooCostly(process: GitProcess, command: string): void {
  if (process.expired) throw new TooSlow(`git ${command} was stopped: ${process.stopped ?? ''}`);
  refuseOutOfMemory(process, command);
}

/** Like `refuseTooCostly`, but only for memory. */
export function refuseOutOfMemory(process: GitProcess, command: string): void {
  if (process.starved || isOutOfMemory(process.stderr))
    throw new TooCostly(`git ${command} was stopped: it needs too much memory`);
}

export class CostlyQuestions {
  readonly #refused = new Lru<{ readonly why: string; readonly until: number }>(mostRemembered);

  /** @throws {TooCostly} if the same request was too costly within the last minute. */
  refuse(key: string): void {
    const known = this.#refused.get(key);
    const leftMs = (known?.until ?? 0) - performance.now();
    if (known !== undefined && leftMs > 0) throw new TooCostly(known.why, Math.ceil(leftMs / 1000));
  }

  /** Runs `work`, unless the same request was too costly recently. A `TooCostly` error is remembered. */
  async ask<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.refuse(key);
    try {
      return await work();
    } catch (error) {
      this.remember(key, error);
      throw error;
    }
  }

  /** Remembers a `TooCostly` error that broke off an answer which had begun. */
  remember(key: string, error: unknown): void {
    if (error instanceof TooCostly)
      this.#refused.set(key, { why: error.message, until: performance.now() + rememberedSeconds * 1000 });
  }
}
