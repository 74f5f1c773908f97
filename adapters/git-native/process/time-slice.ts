// Cooperative scheduling: work that takes long on this thread leaves it to others every few milliseconds.

const sliceMs = 4;

export class TimeSlice {
  #end = performance.now() + sliceMs;

  get over(): boolean {
    return performance.now() >= this.#end;
  }

  /** Resolves when what else was waiting has had its turn. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#end = performance.now() + sliceMs;
  }
}
