// What takes long to make, such as the OpenAPI document.

/**
 * Made when it is first asked for, once for all who ask. A failure is told to those who wait, and the next to ask
 * makes it anew.
 */
export function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
