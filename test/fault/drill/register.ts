// The register of one thing, such as a branch: its possible states after the answers to clients. An acknowledgement
// leaves one possible state, an unanswered request several, and an observed state must be among them.

export const absent = 'absent';
/** The thing exists, but with an unknown value because the answer was lost. */
export const something = 'something';

/**
 * `lost`: acknowledged and missing. `untrue`: refused and done, or refused for a reason that is wrong. `unclear`:
 * refused without a cause. `cut`: received before SIGTERM and not answered. `unhealed`: still refused after the
 * disturbance. `left`: a process, a folder or a row that should not exist.
 */
export const findingKinds = ['lost', 'untrue', 'unclear', 'cut', 'unhealed', 'left'] as const;
export interface Finding {
  readonly kind: (typeof findingKinds)[number];
  readonly text: string;
}

export class Register {
  readonly name: string;
  #possible: Set<string>;
  /** State → the words of its rejection, since the last observation. */
  readonly #refused = new Map<string, string>();

  constructor(name: string, state = absent) {
    this.name = name;
    this.#possible = new Set([state]);
  }

  /** Undefined if several states are possible. */
  get certain(): string | undefined {
    const [first] = this.#possible;
    return this.#possible.size === 1 && first !== something ? first : undefined;
  }

  get mayBeAbsent(): boolean {
    return this.#possible.has(absent);
  }

  get mayBePresent(): boolean {
    return [...this.#possible].some((state) => state !== absent);
  }

  acknowledged(state: string): void {
    this.#possible = new Set([state]);
  }

  unanswered(state: string): void {
    this.#possible.add(state);
  }

  refused(state: string, words: string): void {
    this.#refused.set(state, words);
  }

  /** The observed state becomes the only possible one. @returns a finding if it was not possible. */
  observe(state: string): Finding | undefined {
    const possible = this.#possible.has(state) || (state !== absent && this.#possible.has(something));
    const told = [...this.#possible].join(' or ');
    const words = this.#refused.get(state) ?? (state === absent ? undefined : this.#refused.get(something));
    this.#possible = new Set([state]);
    this.#refused.clear();
    if (possible) return undefined;
    return words === undefined
      ? { kind: 'lost', text: `${this.name} was acknowledged as ${told}, and is ${state}` }
      : { kind: 'untrue', text: `${this.name} is ${state}, which was refused: ${words}` };
  }
}
