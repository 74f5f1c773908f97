// Parses the headers of a commit that walks of history need.
import type { Oid } from '#core/repositories/git/git-objects';

export interface Commit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  /** Seconds since 1970, by which git orders commits. */
  readonly committed: number;
}

/** Bytes in which headers are looked for; no head that git writes is longer. */
const longestHead = 256 * 1024;

export function parseCommit(oid: Oid, content: Buffer): Commit {
  const split = content.subarray(0, longestHead).indexOf('\n\n');
  const end = split < 0 ? Math.min(content.length, longestHead) : split;
  const parents: Oid[] = [];
  const tree = content.toString('latin1', 5, 45);
  let at = 46;
  while (at < end && content[at] === 0x70 && content.toString('latin1', at, at + 7) === 'parent ') {
    parents.push(content.toString('latin1', at + 7, at + 47));
    at += 48;
  }
  const committer = content.indexOf('\ncommitter ', at - 1);
  let committed = 0;
  if (committer >= 0 && committer < end) {
    const newline = content.indexOf(0x0a, committer + 1);
    const line = content.toString('latin1', committer + 1, newline < 0 ? end : newline);
    committed = Number(/^ *(\d{1,12})/.exec(line.slice(line.lastIndexOf('>') + 1))?.[1] ?? 0);
  }
  return { oid, tree, parents, committed };
}
