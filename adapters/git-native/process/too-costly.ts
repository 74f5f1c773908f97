// Computations that took more time or memory than git may have: the refusal, and a memory of it, so that asking again
// costs nothing.
import { Unavailable } from '#core/kernel/errors';
import { Lru } from '#core/kernel/lru';
import type { GitProcess } from './git-process.ts';

/** How long the same question has the same answer. */
const rememberedSeconds = 60;
const mostRemembered = 10_000;

/** 503: what was asked costs more than one answer may. */
export class TooCostly extends Unavailable {
  constructor(why: string, retryAfter = rememberedSeconds) {
    super(why, { detail: 'It takes more time or memory than one answer may; ask for less of it', retryAfter });
  }
}

/** The same, where it was time. */
export class TooSlow extends TooCostly {}

/** What git says where it meets `GIT_ALLOC_LIMIT`; that the machine has no memory left is another matter. */
const outOfMemory = /attempting to allocate/;

export const isOutOfMemory = (stderr: string): boolean => outOfMemory.test(stderr);

/** @throws {TooCostly} where a process that has ended passed its deadline or needed too much memory. */
export function refuseTooCostly(process: GitProcess, command: string): void {
  if (process.expired) throw new TooSlow(`git ${command} was stopped: ${process.stopped ?? ''}`);
  refuseOutOfMemory(process, command);
}

/** The same of memory alone. */
export function refuseOutOfMemory(process: GitProcess, command: string): void {
  if (process.starved || isOutOfMemory(process.stderr))
    throw new TooCostly(`git ${command} was stopped: it needs too much memory`);
}

export class CostlyQuestions {
  readonly #refused = new Lru<{ readonly why: string; readonly until: number }>(mostRemembered);

  /** @throws {TooCostly} where the same question was too costly a while ago. */
  refuse(key: string): void {
    const known = this.#refused.get(key);
    const leftMs = (known?.until ?? 0) - performance.now();
    if (known !== undefined && leftMs > 0) throw new TooCostly(known.why, Math.ceil(leftMs / 1000));
  }

  /** An answer as it comes; that it was too costly is remembered. */
  async ask<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.refuse(key);
    try {
      return await work();
    } catch (error) {
      this.remember(key, error);
      throw error;
    }
  }

  /** That an answer which had begun broke off for its cost. */
  remember(key: string, error: unknown): void {
    if (error instanceof TooCostly)
      this.#refused.set(key, { why: error.message, until: performance.now() + rememberedSeconds * 1000 });
  }

  forget(prefix: string): void {
    this.#refused.forget(prefix);
  }
}
