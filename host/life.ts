// The life cycle of one plugin, as a state machine: its state, and why it is in it.
import type { Contributions } from './check/contributions.ts';
import type { PluginDefinition } from './definition.ts';

export type State =
  | 'listed'
  | 'checked'
  | 'ordered'
  | 'migrated'
  | 'built'
  | 'started'
  | 'degraded'
  | 'stopping'
  | 'stopped'
  | 'rejected'
  | 'failed'
  | 'skipped';

/** From where to where. `failed` may still be stopped: a start that failed half-way has things to let go. */
const next: Readonly<Record<State, readonly State[]>> = {
  listed: ['checked', 'rejected'],
  checked: ['ordered', 'rejected'],
  ordered: ['migrated', 'failed', 'skipped', 'rejected'],
  migrated: ['built', 'failed', 'skipped', 'stopping'],
  built: ['started', 'failed', 'skipped', 'stopping'],
  started: ['degraded', 'stopping'],
  degraded: ['started', 'stopping'],
  stopping: ['stopped'],
  stopped: [],
  rejected: [],
  failed: [],
  skipped: [],
};

/** What a plugin's builders made. */
export interface Made extends Contributions {
  readonly parts: unknown;
  readonly context: unknown;
}

export class Life {
  readonly definition: PluginDefinition;
  /** Set while it is being built. */
  made: Made | undefined;
  #state: State = 'listed';
  #reason: string | undefined;
  /** What is wrong with it while it runs, by what complains. */
  readonly #complaints = new Map<string, string>();

  constructor(definition: PluginDefinition) {
    this.definition = definition;
  }

  get name(): string {
    return this.definition.name;
  }

  get state(): State {
    return this.#state;
  }

  /** Why it is where it is: for `failed`, `skipped`, `degraded`. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Whether it may be seen: it was built, and nothing has gone wrong with it since. */
  get usable(): boolean {
    return this.#state === 'built' || this.#state === 'started' || this.#state === 'degraded';
  }

  /** Whether something went wrong with it. */
  get lost(): boolean {
    return this.#state === 'failed' || this.#state === 'skipped';
  }

  get isolated(): boolean {
    return this.definition.onFailure === 'isolate';
  }

  to(state: State, reason?: string): void {
    if (!next[this.#state].includes(state))
      throw new Error(`plugin "${this.name}" cannot go from ${this.#state} to ${state}`);
    this.#state = state;
    this.#reason = reason;
    if (state === 'started') this.#show();
  }

  /** Says what is wrong with it, or that it no longer is: it is `degraded` while anything is. */
  complain(about: string, sentence: string | undefined): void {
    if (sentence === undefined) this.#complaints.delete(about);
    else this.#complaints.set(about, sentence);
    if (this.#state === 'started' || this.#state === 'degraded') this.#show();
  }

  #show(): void {
    const [complaint] = this.#complaints.values();
    this.#state = complaint === undefined ? 'started' : 'degraded';
    this.#reason = complaint;
  }
}
