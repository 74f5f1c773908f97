// What one thing may be, as far as its clients were told: an answer makes it certain, no answer leaves it open, and
// what is seen later must be one of the possibilities.

export const absent = 'absent';
/** There, and nobody was told which: the answer that said it was lost. */
export const something = 'something';

/**
 * `lost`: acknowledged and not there. `untrue`: refused and done, or refused for a reason that does not hold.
 * `unclear`: refused without saying why. `cut`: received before SIGTERM and not answered. `unhealed`: refused still
 * when the disturbance was over. `left`: a process, a folder or a row that should be gone.
 */
export const findingKinds = ['lost', 'untrue', 'unclear', 'cut', 'unhealed', 'left'] as const;
export interface Finding {
  readonly kind: (typeof findingKinds)[number];
  readonly text: string;
}

export class Register {
  readonly name: string;
  #possible: Set<string>;
  /** What was refused since it was last seen, with the words. */
  readonly #refused = new Map<string, string>();

  constructor(name: string, state = absent) {
    this.name = name;
    this.#possible = new Set([state]);
  }

  /** Undefined while an answer is missing. */
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

  /** From then on it is what was seen. */
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
