// Strays: errors of plugins that nobody caught (a rejection without a handler, a throw out of a timer). An isolated
// plugin's are its own affair; any other ends the process.
import type { Log } from '#core/kernel/log';
import type { Attribution } from './attribution.ts';
import type { Life } from './life.ts';
import { firstLine, readable } from './thrown.ts';

export interface Stray {
  /** Undefined where it cannot be known, and for standard plugins. */
  readonly plugin: string | undefined;
  /** Whether the forge goes on. */
  readonly contained: boolean;
}

/** One line a plugin in this time, in milliseconds: a timer may throw a thousand times a second. */
const quietMs = 10_000;

export class Strays {
  readonly #lives: readonly Life[];
  readonly #attribution: Attribution;
  readonly #log: Log;
  readonly #told = new Map<Life, { readonly at: number; since: number }>();
  /** The step a plugin is taking: a stray of it makes the step fail. */
  #step: { readonly life: Life; readonly fail: (error: unknown) => void } | undefined;

  constructor(lives: readonly Life[], attribution: Attribution, log: Log) {
    this.#lives = lives;
    this.#attribution = attribution;
    this.#log = log;
  }

  /** The outcome of a plugin's step, which fails where the plugin has a stray meanwhile. Steps follow each other. */
  async during(life: Life, work: () => Promise<void>): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const step = { life, fail: reject };
    this.#step = step;
    try {
      await Promise.race([work(), promise]);
    } finally {
      // One that was given up may end while the next one's lasts.
      if (this.#step === step) this.#step = undefined;
    }
  }

  take(thrown: unknown): Stray {
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
