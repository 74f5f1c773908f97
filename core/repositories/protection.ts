// Branch protection (document D, "Repositories"): its rules, and what they refuse.
import { zeroOid, type RefUpdate } from './git-backend.ts';

/** What protects a branch. */
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
 * Why somebody of this role must not push to a protected branch directly, as git and REST tell it; undefined where they
 * may.
 */
export function roleRefusal({ pushRoles }: Protection, branch: string, role: string | undefined): string | undefined {
  if (role !== undefined && pushRoles.includes(role)) return undefined;
  return pushRoles.length === 0
    ? `"${branch}" is protected: nobody may push to it directly (push_roles); open a merge request`
    : `"${branch}" is protected: only the roles ${pushRoles.join(', ')} may push to it directly (push_roles); open a merge request`;
}

/** Why a protected branch must not move so, by whomever. */
export async function moveRefusal(
  { allowDeletion, allowForcePush }: Protection,
  branch: string,
  update: RefUpdate,
  isAncestor: (older: string, newer: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (update.new === zeroOid)
    return allowDeletion ? undefined : `"${branch}" is protected: it may not be deleted (allow_deletion)`;
  if (update.old === zeroOid || allowForcePush || (await isAncestor(update.old, update.new))) return undefined;
  return `"${branch}" is protected: its history may not be rewritten (allow_force_push); push commits on top of it`;
}
