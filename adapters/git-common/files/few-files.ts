// Works on many files with few of them open at the same time, because the whole server shares a limited number of
// descriptors.

/**
 * The results of `work`, in the order of the files.
 * @param atOnce files that are worked on at the same time.
 */
export async function fewFiles<T, R>(
  files: readonly T[],
  work: (file: T) => Promise<R>,
  atOnce = 16,
): Promise<readonly R[]> {
  const made: R[] = [];
  const waiting = files.entries();
  const worker = async (): Promise<void> => {
    for (const [index, file] of waiting) made[index] = await work(file);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, files.length) }, worker));
  return made;
}
