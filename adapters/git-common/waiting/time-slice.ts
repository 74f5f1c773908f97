// Cooperative scheduling: long synchronous work yields to the event loop every few milliseconds.

const sliceMs = 4;

export class TimeSlice {
  #end = performance.now() + sliceMs;

  get over(): boolean {
    return performance.now() >= this.#end;
  }

  /** Yields one event loop iteration, and begins the next time slice. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#end = performance.now() + sliceMs;
  }
}
