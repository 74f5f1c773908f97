// Waits with a time limit.

/** Waits for `work` up to `milliseconds`, then calls `otherwise`. */
export async function limited(
  milliseconds: number,
  work: Promise<unknown>,
  otherwise: () => void = () => undefined,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), milliseconds);
  });
  try {
    if ((await Promise.race([work, late])) === 'late') otherwise();
  } finally {
    clearTimeout(timer);
  }
}
