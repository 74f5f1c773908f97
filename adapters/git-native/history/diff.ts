// Diffs between two commits, by one `git diff-tree`: changed files, line counts, and patches up to a size limit.
import type { Difference, FileChange } from '#core/repositories/git/git-history';
import { Blocks, type Block } from '../diffs/blocks.ts';
import { diffTree } from '../diffs/diff-tree.ts';
import { emptyTree } from '../process/environment.ts';
import { DiffListing, sectionsOf } from '../diffs/listing.ts';
import type { Foundation } from '../foundation.ts';
import type { Located } from '../storage/visits.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';

const mostFiles = 3000;
/**
 * Characters of the patch of one file, and bytes of all patches: about the size up to which GitLab shows diffs without
 * a further click.
 */
const longestPatch = 128 * 1024;
const mostPatchBytes = 512 * 1024;

export function difference(parts: Foundation): Located<'difference'> {
  /** Weighed by characters. */
  const known = new SingleFlightCache<Difference>(16_000_000, ({ files }) =>
    files.reduce((weight, { path, patch }) => weight + 200 + path.length + (patch?.length ?? 0), 200),
  );
  return async (location, from = emptyTree, to, signal) => {
    const compute = async (inner: AbortSignal): Promise<Difference> => {
      const output = new DiffOutputParser();
      return output.difference(await diffTree(parts, location, { from, to }, inner, (chunk) => output.take(chunk)));
    };
    return await known.get(`${location.cacheKey}:${from}:${to}`, signal, compute, parts.heavy);
  };
}

const statuses: Readonly<Record<string, FileChange['status']>> = { A: 'added', C: 'added', D: 'removed', R: 'renamed' };

/** Parses the list of files and the patches after it. */
export class DiffOutputParser {
  readonly #listing = new DiffListing(mostFiles);
  readonly #splitter = new Blocks(Number.POSITIVE_INFINITY);
  readonly #blocks: Block[] = [];
  #patchBytes = 0;

  /** Returns whether more output is wanted. */
  take(chunk: Buffer): boolean {
    const patches = this.#listing.ended ? chunk : this.#listing.take(chunk);
    if (patches === undefined) return true;
    this.#blocks.push(...this.#splitter.take(patches));
    this.#patchBytes += patches.length;
    return this.#patchBytes <= mostPatchBytes;
  }

  /** @param whole whether git ran to its end. */
  difference(whole: boolean): Difference {
    const { listed, additions, deletions } = this.#listing;
    const patches = this.#hunks(whole);
    const files = this.#listing.files.flatMap((file, index): readonly FileChange[] => {
      if (file.path === '') return [];
      const patch = patches[index];
      return [
        {
          path: file.path,
          status: statuses[file.letter] ?? 'modified',
          ...(file.previousPath !== undefined && { previousPath: file.previousPath }),
          additions: file.additions,
          deletions: file.deletions,
          isBinary: file.isBinary,
          ...(patch !== undefined && { patch }),
        },
      ];
    });
    return { files, truncated: files.length < listed, additions, deletions };
  }

  /** Patches by the index of their file. If the output was cut, the last patch is left out. */
  #hunks(whole: boolean): readonly (string | undefined)[] {
    const blocks = [...this.#blocks, ...(whole ? this.#splitter.end() : [])].map((block) => block?.toString() ?? '');
    let next = 0;
    return this.#listing.files.map((file) => {
      const sections = sectionsOf(file);
      const own = blocks.slice(next, next + sections);
      next += sections;
      if (file.isBinary || own.length < sections) return undefined;
      const patch = own
        .flatMap((block) => {
          const from = block.indexOf('\n@@ ');
          return from < 0 ? [] : [block.slice(from + 1).replace(/\n$/, '')];
        })
        .join('\n');
      return patch === '' || patch.length > longestPatch ? undefined : patch;
    });
  }
}
