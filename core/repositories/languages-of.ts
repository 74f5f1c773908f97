// How much of each language a repository holds at the tip of its default branch, by bytes and told from names alone.
import type { Granted } from '#core/kernel/access';
import type { GitBackend } from './git-backend.ts';
import { languageOf } from './languages.ts';
import type { Repository } from './repository.ts';

/** Data and prose are no languages one writes a program or a page in, as for GitHub. */
const uncounted: ReadonlySet<string> = new Set(['json', 'yaml', 'toml', 'ini', 'xml', 'csv', 'text', 'markdown', 'restructuredtext', 'diff']);
const counted = (path: string): string => {
  const language = languageOf(path);
  return uncounted.has(language) ? '' : language;
};

const mostKept = 500;

/** The most bytes first; empty where the default branch has no commit. */
export function repositoryLanguages({ git }: { readonly git: GitBackend }): (granted: Granted<Repository, 'repo.read'>) => Promise<ReadonlyMap<string, number>> {
  /** By repository and commit, the one asked for last at the end; those still being counted too. */
  const known = new Map<string, Promise<ReadonlyMap<string, number>>>();
  const count = async (id: string, commit: string): Promise<ReadonlyMap<string, number>> => {
    const sizes = await git.sizes(id, commit, counted);
    return new Map([...sizes].filter(([, bytes]) => bytes > 0).sort(([a, bytes], [b, others]) => others - bytes || (a < b ? -1 : 1)));
  };
  return async ({ resource: { id } }) => {
    const commit = await git.resolveCommit(id, 'HEAD');
    if (commit === undefined) return new Map();
    const key = `${id}:${commit}`;
    const counting = known.get(key) ?? count(id, commit);
    known.delete(key);
    known.set(key, counting);
    for (const oldest of known.keys()) {
      if (known.size <= mostKept) break;
      known.delete(oldest);
    }
    try {
      return await counting;
    } catch (error) {
      if (known.get(key) === counting) known.delete(key);
      throw error;
    }
  };
}
