// Handles uncaught errors of plugins (a rejection without a handler, a throw from a timer). For an isolated plugin the
// forge continues; otherwise the process ends.
import type { Log } from '#core/kernel/services/log';
import type { Attribution } from './attribution.ts';
import type { Life } from '../plugin/life.ts';
import { firstLine, readable } from '../problems/thrown.ts';

export interface UncaughtError {
  /** Undefined if it is not known, or is a standard plugin. */
  readonly plugin: string | undefined;
  /** Whether the forge continues. */
  readonly contained: boolean;
}

/** Milliseconds between two log lines about one plugin, because a timer may throw a thousand times a second. */
const quietMs = 10_000;

export class UncaughtErrors {
  readonly #lives: readonly Life[];
  readonly #attribution: Attribution;
  readonly #log: Log;
  readonly #told = new Map<Life, { readonly at: number; since: number }>();
  /** The running step of a plugin, which fails if the plugin has an uncaught error. */
  #step: { readonly life: Life; readonly fail: (error: unknown) => void } | undefined;

  constructor(lives: readonly Life[], attribution: Attribution, log: Log) {
    this.#lives = lives;
    this.#attribution = attribution;
    this.#log = log;
  }

  /** Runs a plugin's step, which rejects if the plugin has an uncaught error meanwhile. Steps must not overlap. */
  async during(life: Life, work: () => Promise<void>): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const step = { life, fail: reject };
    this.#step = step;
    try {
      await Promise.race([work(), promise]);
    } finally {
      // A step that exceeded its time limit may end during the next plugin's step.
      if (this.#step === step) this.#step = undefined;
    }
  }

  take(thrown: unknown): UncaughtError {
    const error = readable(thrown);
    const plugin = this.#attribution.culprit(error);
    const life = this.#lives.find(({ name }) => name === plugin);
    if (life?.isolated !== true) return { plugin, contained: false };
    if (this.#step?.life === life) this.#step.fail(error);
    life.complain('stray', `An error of it was not caught: ${firstLine(error.message)}`);
    this.#tell(life, error);
    return { plugin, contained: true };
  }

  #tell(life: Life, error: unknown): void {
    const now = performance.now();
    const told = this.#told.get(life);
    if (told !== undefined && now - told.at < quietMs) {
      told.since += 1;
      return;
    }
    this.#told.set(life, { at: now, since: 0 });
    this.#log.error(
      { plugin: life.name, err: error, ...(told === undefined ? {} : { unsaid: told.since }) },
      'an error of an isolated plugin was not caught: the plugin is degraded, the others go on',
    );
  }
}
