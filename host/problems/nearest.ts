// Spelling suggestions by edit distance.

/** The candidate with the fewest edits from `name`; undefined if none is similar enough to be a typing error. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = edits(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= Math.max(2, Math.floor(candidate.length / 3)) && (best === undefined || distance < best.distance))
      best = { candidate, distance };
  }
  return best?.candidate;
}

/** `Did you mean "x"?`, or `otherwise` if no candidate is similar. */
export function didYouMean(name: string, candidates: Iterable<string>, otherwise: string): string {
  const near = nearest(name, candidates);
  return near === undefined ? otherwise : `Did you mean "${near}"?`;
}

/** The number of insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function edits(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(above, column) + 1, at(current, column - 1) + 1, at(above, column - 1) + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        cost = Math.min(cost, at(before, column - 2) + 1);
      current.push(cost);
    }
    before = above;
    above = current;
  }
  return at(above, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
