// Branch protection (document D, "Repositories"): its rules, what they refuse, and how they are set.
import type { Granted } from '#core/kernel/access';
import { auditEntry } from '#core/kernel/audit';
import { NotFound, ValidationFailed } from '#core/kernel/errors';
import { aggregateOf } from './events.ts';
import { zeroOid, type RefUpdate } from './git-backend.ts';
import type { RepositoryParts } from './ports.ts';
import type { Repository } from './repository.ts';

export interface Protection {
  readonly allowForcePush: boolean;
  /** By a push; over REST a protected branch is never deleted. */
  readonly allowDeletion: boolean;
  /** Who may push directly, by role; the owner and instance administrators count as admin. */
  readonly pushRoles: readonly string[];
  /** Of a merge request, before it may be merged. */
  readonly requiredApprovals: number;
  readonly requiredPipeline: { readonly onOpen: boolean; readonly onMerge: boolean };
}

/** Of members that are left out: history is kept, and whoever may push at all may push. */
export const defaultProtection: Protection = {
  allowForcePush: false,
  allowDeletion: false,
  pushRoles: ['write', 'maintain', 'admin'],
  requiredApprovals: 0,
  requiredPipeline: { onOpen: false, onMerge: false },
};

/** Rules are kept by the branch's name, whether or not there is such a branch. */
export interface ProtectionStore {
  /** All of a repository, by branch; one query. */
  all(repositoryId: string): Promise<ReadonlyMap<string, Protection>>;
  /** Sets or replaces. */
  put(repositoryId: string, branch: string, protection: Protection, at: Date): Promise<void>;
  /** Whether it was there. */
  delete(repositoryId: string, branch: string): Promise<boolean>;
}

/**
 * Why a protected branch must not move so, as git and REST tell it; undefined where it may. `role` is that of who moves
 * it.
 */
export async function protectionRefusal(
  protection: Protection,
  branch: string,
  role: string | undefined,
  update: RefUpdate,
  isAncestor: (older: string, newer: string) => Promise<boolean>,
): Promise<string | undefined> {
  const { allowDeletion, allowForcePush, pushRoles } = protection;
  if (role === undefined || !pushRoles.includes(role)) {
    return pushRoles.length === 0
      ? `"${branch}" is protected: nobody may push to it directly (push_roles); open a merge request`
      : `"${branch}" is protected: only the roles ${pushRoles.join(', ')} may push to it directly (push_roles); open a merge request`;
  }
  if (update.new === zeroOid)
    return allowDeletion ? undefined : `"${branch}" is protected: it may not be deleted (allow_deletion)`;
  if (update.old === zeroOid || allowForcePush || (await isAncestor(update.old, update.new))) return undefined;
  return `"${branch}" is protected: its history may not be rewritten (allow_force_push); push commits on top of it`;
}

type Parts = Pick<RepositoryParts, 'git' | 'protections' | 'unitOfWork' | 'events' | 'audit'>;
type Protecting = Granted<Repository, 'branch.protect'>;

/** @throws {NotFound} for a branch that is not protected. */
export const protectionOf =
  ({ protections }: Parts) =>
  async ({ resource: { id } }: Protecting, branch: string): Promise<Protection> => {
    const found = (await protections.all(id)).get(branch);
    if (found === undefined) throw new NotFound('The branch is not protected');
    return found;
  };

/** Members left out have their default. @throws {ValidationFailed} for a name no branch can have. */
export const protectBranch =
  ({ git, protections, unitOfWork, events, audit }: Parts) =>
  async (
    { resource: { id, owner, name }, call }: Protecting,
    branch: string,
    wished: Partial<Protection>,
  ): Promise<Protection> => {
    if (!git.isLegalName('branch', branch))
      throw new ValidationFailed('The branch name is not allowed', {
        detail: 'The branch in the path must be a name that git allows for a branch, not starting with "-"',
      });
    const protection: Protection = {
      ...defaultProtection,
      ...wished,
      pushRoles: [...new Set(wished.pushRoles ?? defaultProtection.pushRoles)],
    };
    await unitOfWork.run(async () => {
      const before = (await protections.all(id)).get(branch);
      if (before !== undefined && same(before, protection)) return;
      await protections.put(id, branch, protection, call.now);
      await events.emit({
        type: 'branch.protection_changed',
        aggregate: aggregateOf(id),
        ...(call.caller.kind === 'user' && { actorId: call.caller.id }),
        payload: { repository_id: id, branch, protected: true },
      });
      await audit.append(
        auditEntry(call, 'branch.protected', `repository:${id}`, {
          owner,
          name,
          branch,
          protection: { ...protection },
        }),
      );
    });
    return protection;
  };

/** @throws {NotFound} for a branch that is not protected. */
export const unprotectBranch =
  ({ protections, unitOfWork, events, audit }: Parts) =>
  ({ resource: { id, owner, name }, call }: Protecting, branch: string): Promise<void> =>
    unitOfWork.run(async () => {
      if (!(await protections.delete(id, branch))) throw new NotFound('The branch is not protected');
      await events.emit({
        type: 'branch.protection_changed',
        aggregate: aggregateOf(id),
        ...(call.caller.kind === 'user' && { actorId: call.caller.id }),
        payload: { repository_id: id, branch, protected: false },
      });
      await audit.append(auditEntry(call, 'branch.unprotected', `repository:${id}`, { owner, name, branch }));
    });

function same(a: Protection, b: Protection): boolean {
  return (
    a.allowForcePush === b.allowForcePush &&
    a.allowDeletion === b.allowDeletion &&
    a.requiredApprovals === b.requiredApprovals &&
    a.requiredPipeline.onOpen === b.requiredPipeline.onOpen &&
    a.requiredPipeline.onMerge === b.requiredPipeline.onMerge &&
    new Set(a.pushRoles).symmetricDifference(new Set(b.pushRoles)).size === 0
  );
}
