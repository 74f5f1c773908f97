// Resolves revisions that users write to a commit, or to a ref and a path.
import { NotFound } from '#core/kernel/errors';
import { zeroOid, type GitBackend, type Oid, type TreeEntry } from '../git/git-backend.ts';
import { refsNamed } from '../git/ref-names.ts';
import type { Repository } from '../model/repository.ts';

/** @throws {NotFound} for text that is not a commit, branch or tag. */
export async function commitNamed(git: GitBackend, repositoryId: string, revision: string): Promise<Oid> {
  const commit = await git.resolveCommit(repositoryId, revision);
  if (commit === undefined) throw new NotFound('There is no such branch, tag or commit');
  return commit;
}

/** The entry at a path, and the commit. @throws {NotFound} */
export async function entryAt(
  git: GitBackend,
  { id }: Repository,
  { path, ref = 'HEAD' }: { readonly path: string; readonly ref?: string | undefined },
): Promise<{ readonly commit: Oid; readonly entry: TreeEntry }> {
  const commit = await git.resolveCommit(id, ref);
  if (commit === undefined)
    throw new NotFound(`There is no branch, tag or commit "${ref}"`, {
      detail: 'list_branches and list_tags name those that exist; leave "ref" out for the default branch',
    });
  const entry = await git.entry(id, commit, path);
  if (entry === undefined)
    throw new NotFound(`There is no "${path}" at this ref`, { detail: 'list_tree names the files and folders' });
  return { commit, entry };
}

/**
 * Whether the text is `HEAD` or the default branch of a repository without any branches, so that the first push will
 * create it.
 */
export async function isUnborn(git: GitBackend, { id, defaultBranch }: Repository, revision: string): Promise<boolean> {
  return (revision === 'HEAD' || revision === defaultBranch) && (await git.refList(id, 'branches')).refs.length === 0;
}

/** The most segments of a ref in `REF/PATH`. Longer refs are rare. */
const deepestRef = 64;

/**
 * The ref and the path in `REF/PATH`. The longest prefix that is a branch or tag is the ref, otherwise the first
 * segment. The path may be empty.
 */
export async function splitTarget(
  git: GitBackend,
  repositoryId: string,
  target: string,
): Promise<{ readonly ref: string; readonly path: string }> {
  const segments = target.split('/');
  const cut = (length: number): { ref: string; path: string } => ({
    ref: segments.slice(0, length).join('/'),
    path: segments.slice(length).join('/'),
  });
  const longer = Array.from({ length: Math.min(segments.length, deepestRef) }, (_, index) => cut(index + 1))
    .slice(1)
    .reverse();
  if (longer.length === 0) return cut(1);
  const names = longer.flatMap(({ ref }) => refsNamed(ref));
  const oids = await git.readRefs(repositoryId, names);
  const present = new Set(names.filter((_, index) => (oids[index] ?? zeroOid) !== zeroOid));
  return longer.find(({ ref }) => refsNamed(ref).some((name) => present.has(name))) ?? cut(1);
}

/** The commit and the path of a file in `REF/PATH`. */
export async function refAndPath(
  git: GitBackend,
  repositoryId: string,
  target: string,
): Promise<{ readonly commit: Oid | undefined; readonly path: string }> {
  const { ref, path } = await splitTarget(git, repositoryId, target);
  // Without a path the target is the root folder, which has no bytes.
  return { commit: path === '' ? undefined : await git.resolveCommit(repositoryId, ref), path };
}
