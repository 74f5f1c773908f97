// Finds files of a commit by parts of their path.
import type { Granted } from '#core/kernel/access/access';
import { NotFound } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import type { GitBackend } from '../git/git-backend.ts';
import type { Repository } from '../model/repository.ts';

/** Files of a commit that are searched. Further ones are not found. */
const mostFiles = 100_000;
/** Characters of all cached paths. */
const mostKept = 8_000_000;
const longestPath = 4096;
const mostWords = 10;

export interface FoundFiles {
  readonly paths: readonly string[];
  /** Whether there are more files than were searched, or more results than were asked for. */
  readonly truncated: boolean;
}

interface Listing {
  readonly paths: readonly string[];
  readonly truncated: boolean;
}

/**
 * Files whose path contains every word of `q`, in any case. Names that contain the first word are first, then shorter
 * paths. Without words, the first files. Symbolic links and submodules are not found.
 */
export function findFiles({ git }: { readonly git: GitBackend }) {
  /** By repository and commit. */
  const known = new Lru<Promise<Listing>>(mostKept);

  const list = async (id: string, commit: string): Promise<Listing> => {
    const paths: string[] = [];
    let left = 0;
    // Sums by group call the function with the path of each file, and sum nothing for an empty group.
    await git.sizes(id, commit, (path) => {
      if (paths.length < mostFiles && path.length <= longestPath) paths.push(path);
      else left += 1;
      return '';
    });
    return { paths, truncated: left > 0 };
  };
  const listing = async (id: string, commit: string): Promise<Listing> => {
    const key = `${id}:${commit}`;
    const begun = known.get(key) ?? list(id, commit);
    known.set(key, begun);
    try {
      const found = await begun;
      known.set(key, begun, 1 + found.paths.reduce((sum, path) => sum + path.length, 0));
      return found;
    } catch (error) {
      known.forget(key);
      throw error;
    }
  };

  /** @throws {NotFound} for an unknown ref. */
  return async (
    { resource: { id } }: Granted<Repository, 'repo.read'>,
    { ref, q, limit }: { readonly ref: string; readonly q: string; readonly limit: number },
  ): Promise<FoundFiles> => {
    const commit = await git.resolveCommit(id, ref);
    if (commit === undefined) throw new NotFound('There is no such branch, tag or commit');
    const { paths, truncated } = await listing(id, commit);
    const words = q.toLowerCase().split(/\s+/).filter(Boolean).slice(0, mostWords);
    const found = words.length === 0 ? paths : paths.filter((path) => containsAll(path.toLowerCase(), words));
    return {
      paths: best(found, words[0], limit),
      truncated: truncated || found.length > limit,
    };
  };
}

const containsAll = (path: string, words: readonly string[]): boolean => words.every((word) => path.includes(word));

/** Sorts only what can be among the results: with many matches, those whose name contains the word. */
function best(paths: readonly string[], word: string | undefined, limit: number): readonly string[] {
  if (word === undefined) return paths.slice(0, limit);
  const named = paths.filter((path) =>
    path
      .slice(path.lastIndexOf('/') + 1)
      .toLowerCase()
      .includes(word),
  );
  const names = new Set(named);
  const others = named.length >= limit ? [] : paths.filter((path) => !names.has(path));
  return [named, others].flatMap((some) => some.toSorted((a, b) => a.length - b.length)).slice(0, limit);
}
