// Language statistics: the bytes of each language at the tip of the default branch, determined by file names alone.
import type { Granted } from '#core/kernel/access/access';
import { Lru } from '#core/kernel/limits/lru';
import type { Derived } from './derived.ts';
import type { GitBackend } from '../git/git-backend.ts';
import { languageOf } from '../git/languages.ts';
import type { Repository } from '../model/repository.ts';

/** Data and prose formats are not counted, as on GitHub. */
const uncounted: ReadonlySet<string> = new Set(
  'json yaml toml ini xml csv text markdown restructuredtext diff'.split(' '),
);
const counted = (path: string): string => {
  const language = languageOf(path);
  return uncounted.has(language) ? '' : language;
};

const mostKept = 500;

/** Sorted by size, the largest first. Empty if the default branch has no commits. */
export function repositoryLanguages({
  git,
}: {
  readonly git: GitBackend;
}): (granted: Granted<Repository, 'repo.read'>) => Promise<Derived<ReadonlyMap<string, number>>> {
  /** Cached by repository and commit. Includes running computations, so that concurrent requests share them. */
  const known = new Lru<Promise<ReadonlyMap<string, number>>>(mostKept);
  const count = async (id: string, commit: string): Promise<ReadonlyMap<string, number>> => {
    const sizes = await git.sizes(id, commit, counted);
    return new Map(
      [...sizes].filter(([, bytes]) => bytes > 0).sort(([a, bytes], [b, others]) => others - bytes || (a < b ? -1 : 1)),
    );
  };
  const begin = (key: string, id: string, commit: string): Promise<ReadonlyMap<string, number>> => {
    const counting = count(id, commit);
    known.set(key, counting);
    counting.catch(() => known.forget(key));
    return counting;
  };
  return async ({ resource: { id } }) => {
    const commit = await git.resolveCommit(id, 'HEAD');
    if (commit === undefined) return { basis: {}, read: async () => new Map() };
    const key = `${id}:${commit}`;
    return { basis: { commit }, read: () => known.get(key) ?? begin(key, id, commit) };
  };
}
