// Runs an expensive computation once, such as that of the OpenAPI document.

/**
 * Computes the value on first use, once for all callers. A failure rejects for those that wait, and the next call tries
 * again.
 */
export function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
