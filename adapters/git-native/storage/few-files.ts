// Work on many files with few of them open at a time: descriptors are the whole server's, and there are only so many.

const atOnce = 16;

/** What `work` makes of each, in their order. */
export async function fewFiles<T, R>(files: readonly T[], work: (file: T) => Promise<R>): Promise<readonly R[]> {
  const made: R[] = [];
  const waiting = files.entries();
  const worker = async (): Promise<void> => {
    for (const [index, file] of waiting) made[index] = await work(file);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, files.length) }, worker));
  return made;
}
