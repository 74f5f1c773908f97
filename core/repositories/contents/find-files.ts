// Finds files of a commit by parts of their path.
import type { Granted } from '#core/kernel/access/access';
import { NotFound } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import type { GitBackend } from '../git/git-backend.ts';
import type { Repository } from '../model/repository.ts';

/** Files of a commit that are searched. Further ones are not found. */
const mostFiles = 100_000;
/** Characters of their paths together, so that the paths of a commit can be cached. */
const mostCharacters = 6_000_000;
/** Characters of all cached paths. */
const mostKept = 2 * mostCharacters + 2;
const longestPath = 4096;
const mostWords = 10;

export interface FoundFiles {
  readonly paths: readonly string[];
  /** Whether there are more files than were searched, or more results than were asked for. */
  readonly truncated: boolean;
}

interface Listing extends FoundFiles {
  readonly characters: number;
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
    let [characters, left] = [0, 0];
    // Sums by group call the function with the path of each file, and sum nothing for an empty group.
    await git.sizes(id, commit, (path) => {
      if (paths.length < mostFiles && path.length <= longestPath && characters + path.length <= mostCharacters) {
        paths.push(path);
        characters += path.length;
      } else left += 1;
      return '';
    });
    return { paths, characters, truncated: left > 0 };
  };
  const listing = async (id: string, commit: string): Promise<Listing> => {
    const key = `${id}:${commit}`;
    const begun = known.get(key) ?? list(id, commit);
    known.set(key, begun);
    try {
      const found = await begun;
      known.set(key, begun, 1 + found.characters);
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
    const found =
      words.length === 0 ? { paths: paths.slice(0, limit), count: paths.length } : best(paths, words, limit);
    return { paths: found.paths, truncated: truncated || found.count > limit };
  };
}

/**
 * The best matches, and the number of all. Paths are looked at once and sorted by counting, because each of 100,000 may
 * match.
 */
function best(
  paths: readonly string[],
  words: readonly string[],
  limit: number,
): { readonly paths: readonly string[]; readonly count: number } {
  const [first = ''] = words;
  const named = new ByLength(limit);
  const others = new ByLength(limit);
  let count = 0;
  for (const path of paths) {
    const lower = path.toLowerCase();
    if (!words.every((word) => lower.includes(word))) continue;
    count += 1;
    (lower.includes(first, lower.lastIndexOf('/') + 1) ? named : others).add(path);
  }
  return { paths: [...named.shortest(), ...others.shortest()].slice(0, limit), count };
}

/** Keeps the first paths of each length. */
class ByLength {
  readonly #limit: number;
  readonly #paths: string[][] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(path: string): void {
    const some = (this.#paths[path.length] ??= []);
    if (some.length < this.#limit) some.push(path);
  }

  shortest(): readonly string[] {
    return this.#paths.flat();
  }
}
