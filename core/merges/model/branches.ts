// The source and target branch of a merge request: parses names, and finds the tips.
import { changes, type Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Forbidden, HexforgeError, ValidationFailed } from '#core/kernel/errors';
import { zeroOid, type GitBackend, type Oid, type Repository } from '#core/repositories/index';
import type { MergeParts } from './parts.ts';

/** A caller who may read the repository. Whether they can push is checked in this file. */
type Asking = Granted<Repository, string, User>;

/** An existing branch. */
export interface Source {
  readonly repositoryId: string;
  readonly branch: string;
  readonly tip: Oid;
}

/** The tip of a branch. Undefined if the branch does not exist, or if the name is not a legal branch name. */
export async function branchTip(
  git: Pick<GitBackend, 'isLegalName' | 'readRefs'>,
  repositoryId: string,
  branch: string,
): Promise<Oid | undefined> {
  if (!git.isLegalName('branch', branch)) return undefined;
  const [tip = zeroOid] = await git.readRefs(repositoryId, [`refs/heads/${branch}`]);
  return tip === zeroOid ? undefined : tip;
}

/** Splits `OWNER:branch`. This is unambiguous because git allows no colon in a branch name. */
export function sourceParts(named: string): { readonly owner: string | undefined; readonly branch: string } {
  const [, owner, branch = named] = /^([^:]*):(.*)$/s.exec(named) ?? [];
  return { owner, branch };
}

/** @throws {ValidationFailed} naming the member of the body. */
export function presentBranch<T>(found: T | undefined, member: 'source_branch' | 'target_branch'): T {
  if (found !== undefined) return found;
  throw new ValidationFailed('There is no such branch', { detail: `"${member}" names no branch that is there` });
}

/** The most repositories of one owner in a fork network that are searched for the branch. */
const mostForks = 20;

/**
 * Resolves the source that a caller names: a branch of the repository itself or, as `OWNER:branch`, of a fork in the
 * same network that the caller may push to.
 * @throws {Forbidden | ValidationFailed}
 */
export async function sourceNamed(
  parts: Pick<MergeParts, 'git' | 'heads' | 'access'>,
  granted: Asking,
  named: string,
): Promise<Source> {
  const { resource: repository } = granted;
  const { owner, branch } = sourceParts(named);
  const found =
    owner === undefined
      ? await ownSource(parts, granted, branch)
      : await sourceOf(parts, granted, branch, await candidates(parts, repository, owner));
  return presentBranch(found, 'source_branch');
}

/** The repositories of the owner in the fork network, the repository itself first. */
async function candidates(
  { heads }: Pick<MergeParts, 'heads'>,
  { id }: Repository,
  owner: string,
): Promise<readonly Repository[]> {
  const network = await heads.network(id, owner);
  return network.toSorted((one, other) => Number(other.id === id) - Number(one.id === id)).slice(0, mostForks);
}

async function sourceIn(git: MergeParts['git'], repositoryId: string, branch: string): Promise<Source | undefined> {
  const tip = await branchTip(git, repositoryId, branch);
  return tip === undefined ? undefined : { repositoryId, branch, tip };
}

/** @throws {Forbidden} if the caller may not open requests from the repository's own branches. */
async function ownSource(
  { git }: Pick<MergeParts, 'git'>,
  granted: Asking,
  branch: string,
): Promise<Source | undefined> {
  if (!granted.may('merge.open'))
    throw new Forbidden('You may not open merge requests of the branches of this repository', {
      detail: 'It needs the permission "merge.open"; push to a fork of yours, and name its branch as "OWNER:branch"',
    });
  return sourceIn(git, granted.resource.id, branch);
}

/**
 * The first repository that the caller can push to and that has the branch.
 * @throws {Forbidden} if the caller can push to none of them.
 */
async function sourceOf(
  parts: Pick<MergeParts, 'git' | 'access'>,
  granted: Asking,
  branch: string,
  forks: readonly Repository[],
): Promise<Source | undefined> {
  let refusal: Forbidden | undefined;
  for (const fork of forks) {
    try {
      const source =
        fork.id === granted.resource.id
          ? await ownSource(parts, granted, branch)
          : await forkSource(parts, granted, fork, branch);
      if (source !== undefined) return source;
    } catch (error) {
      // Skips this repository. One that the caller cannot read must look as if it did not exist, so only Forbidden is
      // kept.
      if (!(error instanceof HexforgeError && (error.kind === 'forbidden' || error.kind === 'not_found'))) throw error;
      if (error instanceof Forbidden) refusal ??= error;
    }
  }
  if (refusal !== undefined) throw refusal;
  return undefined;
}

async function forkSource(
  { git, access }: Pick<MergeParts, 'git' | 'access'>,
  { call }: Asking,
  { owner, name }: Repository,
  branch: string,
): Promise<Source | undefined> {
  const path = { owner, repo: name };
  const { resource } = await access.decide(call, changes('repository', 'repo.write'), 'repo.write', path);
  return sourceIn(git, resource.id, branch);
}
