// Whether others have their turn while something works: turns of the event loop, counted.

/** @returns what the work came to, and how many turns the event loop made meanwhile. */
export async function countingTurns<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  try {
    return { result: await work(), turns };
  } finally {
    counting = false;
  }
}
