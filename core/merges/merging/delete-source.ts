// Deletes the source branch of a merge request, if the caller may and its tip is still the head of the request.
import { changes } from '#core/kernel/access/access';
import type { Call, User } from '#core/kernel/caller';
import { Conflict } from '#core/kernel/errors';
import { branchTip } from '../model/branches.ts';
import { canPush } from './can-push.ts';
import { settledRequest, type Reading, type Writing } from '../model/held-request.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';

type Parts = Pick<MergeParts, 'access' | 'merging' | 'repositories'>;

/**
 * No later push is lost: the branch stays if its tip is another commit.
 * @throws the errors of `Merging.deleteBranch`
 */
export async function deleteBranchOf(
  { access, merging, repositories }: Parts,
  call: Call<User>,
  { sourceRepositoryId, sourceBranch, headOid }: MergeRequest,
): Promise<void> {
  const source = sourceRepositoryId === undefined ? undefined : await repositories.byId(sourceRepositoryId);
  if (source === undefined) return;
  const path = { owner: source.owner, repo: source.name };
  const granted = await access.decide(call, changes('repository', 'repo.write'), 'repo.write', path);
  if (granted.resource.id === source.id) await merging.deleteBranch(granted, { name: sourceBranch, at: headOid });
}

/** @throws {NotFound | Forbidden | Conflict | ValidationFailed} */
export const deleteSource =
  (parts: Parts & Pick<MergeParts, 'store' | 'settling'>) =>
  async ({ resource, call }: Writing, { number }: { readonly number: number }): Promise<void> => {
    const request = await settledRequest(parts, resource, number, call.signal);
    if (request.state === 'open')
      throw new Conflict('An open merge request needs its source branch', { detail: 'Merge or close it first' });
    await deleteBranchOf(parts, call, request);
  };

/**
 * Whether the caller could delete the source branch: the request is not open, the tip is its head, and the branch is
 * neither protected nor the default one.
 */
export async function mayDeleteSource(
  { access, repositories, git }: Pick<MergeParts, 'access' | 'repositories' | 'git'>,
  { call }: Reading,
  { state, sourceRepositoryId, sourceBranch, headOid }: MergeRequest,
): Promise<boolean> {
  if (state === 'open' || sourceRepositoryId === undefined || call.caller.kind !== 'user') return false;
  const source = await repositories.byId(sourceRepositoryId);
  if (source === undefined || source.defaultBranch === sourceBranch) return false;
  if (!(await canPush(access, call, source))) return false;
  if ((await branchTip(git, source.id, sourceBranch)) !== headOid) return false;
  return !(await repositories.protections(source.id)).has(sourceBranch);
}
