// Divides issues into batches by the number of their associations.

/**
 * @param counts the number of associations of each issue.
 * @param most the most associations of one batch. An issue with more is a batch alone.
 */
export function batchesOf(counts: ReadonlyMap<string, number>, most: number): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let left = 0;
  for (const [id, count] of counts) {
    const last = batches.at(-1);
    if (last === undefined || count > left) {
      batches.push([id]);
      left = most - count;
    } else {
      last.push(id);
      left -= count;
    }
  }
  return batches;
}
