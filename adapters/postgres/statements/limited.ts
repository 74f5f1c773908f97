// Waits with a time limit.

/** Waits for `work` up to `milliseconds`, then returns the result of `otherwise`, which may throw. */
export async function limited<T, L = undefined>(
  milliseconds: number,
  work: Promise<T>,
  otherwise: () => L = () => undefined as L,
): Promise<T | L> {
  const late = Symbol('late');
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), milliseconds);
  });
  try {
    const outcome = await Promise.race([work, over]);
    return outcome === late ? otherwise() : outcome;
  } finally {
    clearTimeout(timer);
  }
}
