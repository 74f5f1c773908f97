// Converts branches to JSON.
import type { Branch } from 'hexforge/repositories';
import type { BranchJson } from './schemas.ts';

export const presentBranch = (branch: Branch): BranchJson => ({
  name: branch.name,
  commit_sha: branch.oid,
  commit_message: branch.subject,
  commit_author: branch.author,
  commit_date: branch.committedAt.toISOString(),
  is_default: branch.isDefault,
  is_protected: branch.isProtected,
  ahead_count: branch.divergence.ahead,
  behind_count: branch.divergence.behind,
});
