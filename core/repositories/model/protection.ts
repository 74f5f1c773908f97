// Branch protection: its rules, and the reasons for which it rejects changes.
import { zeroOid, type RefUpdate } from '../git/git-backend.ts';

/** The protection of a branch. */
export interface Protection {
  readonly allowForcePush: boolean;
  /** Only applies to pushes. Over REST a protected branch cannot be deleted. */
  readonly allowDeletion: boolean;
  /** The roles that may push directly. The owner and instance administrators count as admin. */
  readonly pushRoles: readonly string[];
  /** The number of approvals that a merge request needs before it may be merged. */
  readonly requiredApprovals: number;
  /** Whether a push that changes the diff of a merge request makes its approvals pending. */
  readonly dismissStaleApprovals: boolean;
  readonly requiredPipeline: { readonly onOpen: boolean; readonly onMerge: boolean };
}

/** The defaults: no history is rewritten or deleted, and every role that can push may push. */
export const defaultProtection: Protection = {
  allowForcePush: false,
  allowDeletion: false,
  pushRoles: ['write', 'maintain', 'admin'],
  requiredApprovals: 0,
  dismissStaleApprovals: false,
  requiredPipeline: { onOpen: false, onMerge: false },
};

/** Stores protections by the branch's name, whether or not the branch exists. */
export interface ProtectionStore {
  /** All protections of a repository, by branch; one query. */
  all(repositoryId: string): Promise<ReadonlyMap<string, Protection>>;
  /** Adds or replaces a protection. */
  put(repositoryId: string, branch: string, protection: Protection, at: Date): Promise<void>;
  /** Returns whether the protection existed. */
  delete(repositoryId: string, branch: string): Promise<boolean>;
}

/**
 * Why a user with this role must not push to a protected branch directly, as git and REST show it; undefined if they
 * may.
 */
export function roleRefusal({ pushRoles }: Protection, branch: string, role: string | undefined): string | undefined {
  if (role !== undefined && pushRoles.includes(role)) return undefined;
  return pushRoles.length === 0
    ? `"${branch}" is protected: nobody may push to it directly (push_roles); open a merge request`
    : `"${branch}" is protected: only the roles ${pushRoles.join(', ')} may push to it directly (push_roles); open a merge request`;
}

/** Why the change of a protected branch is not allowed, independent of the user; undefined if it is allowed. */
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
