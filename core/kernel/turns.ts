// Taking turns: whoever asks for a name waits until everyone who asked before has let go of it.

export class Turns {
  /** name → the end of its queue. A name nobody holds is not in the map. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves to the function that lets go when it is the caller's turn. Letting go twice does nothing more. */
  async take(name: string): Promise<() => void> {
    const before = this.#tails.get(name);
    let open: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#tails.set(name, mine);
    await before;
    return () => {
      if (this.#tails.get(name) === mine) this.#tails.delete(name);
      open();
    };
  }

  /** Runs `work` when it is its turn, and lets go whatever becomes of it. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const done = await this.take(name);
    try {
      return await work();
    } finally {
      done();
    }
  }
}
