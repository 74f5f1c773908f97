// The life cycle of one plugin as a state machine: its state, and the reason for it.
import type { Contributions } from './contributions.ts';
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

/** The allowed transitions. A plugin whose start failed stays `failed`, and its `stop` is still called. */
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

/** The objects that a plugin's builders returned. */
export interface Made extends Contributions {
  readonly parts: unknown;
  readonly context: unknown;
}

export class Life {
  readonly definition: PluginDefinition;
  /** Set when the plugin is built. */
  made: Made | undefined;
  #state: State = 'listed';
  #reason: string | undefined;
  #remedy: string | undefined;
  readonly #onLost: (() => void)[] = [];
  /** Current problems of the running plugin, by their source. */
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

  /** The reason of `failed`, `skipped` or `degraded`. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** The remedy for `failed`, if there is one; of a skipped plugin, the remedy for the one that failed. */
  get remedy(): string | undefined {
    return this.#remedy;
  }

  /** Whether the plugin was built and has not failed since. */
  get usable(): boolean {
    return this.#state === 'built' || this.#state === 'started' || this.#state === 'degraded';
  }

  /** Whether the plugin failed or was skipped. */
  get lost(): boolean {
    return this.#state === 'failed' || this.#state === 'skipped';
  }

  get isolated(): boolean {
    return this.definition.onFailure === 'isolate';
  }

  to(state: State, reason?: string, remedy?: string): void {
    if (!next[this.#state].includes(state))
      throw new Error(`plugin "${this.name}" cannot go from ${this.#state} to ${state}`);
    this.#state = state;
    this.#reason = reason;
    this.#remedy = remedy;
    if (this.lost) for (const heard of this.#onLost) heard();
    if (state === 'started') this.#show();
  }

  /** Calls `heard` when the plugin fails or is skipped. */
  onLost(heard: () => void): void {
    this.#onLost.push(heard);
  }

  /** Records or, with undefined, removes a problem. The plugin is `degraded` while it has any. */
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
