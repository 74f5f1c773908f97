// The words this area adds to access: the resource, its permissions with the least role that has each, and the scope rows.
import type { PermissionDeclaration } from '#core/kernel/permissions';
import type { ScopeRow } from '#core/kernel/scopes';
import type { Repository } from './repository.ts';

declare module '#core/kernel/access' {
  interface Resources {
    repository: Repository;
  }
  interface Permissions {
    'repo.read': 'repository';
    'repo.write': 'repository';
    'repo.admin': 'repository';
    'branch.protect': 'repository';
    /** Rename, re-tier, delete: the owner and instance administrators only. */
    'repo.own': 'repository';
  }
}

declare module '#core/kernel/scopes' {
  interface Scopes {
    'repo.read': true;
    'repo.write': true;
    'repo.admin': true;
  }
}

/** Document D, "Repositories": role permissions, this area's part. */
export const repositoryPermissions: readonly PermissionDeclaration[] = [
  { name: 'repo.read', from: 'read' },
  { name: 'repo.write', from: 'write' },
  { name: 'branch.protect', from: 'maintain' },
  { name: 'repo.admin', from: 'admin' },
  { name: 'repo.own', from: 'owner' },
];

/** Document B, "Authentication". */
export const repositoryScopes: readonly ScopeRow[] = [
  { name: 'repo.read', pat: 'repo:read', oauth: 'read:repo' },
  { name: 'repo.write', pat: 'repo:write', oauth: 'write:repo', includes: ['repo.read'] },
  { name: 'repo.admin', pat: 'repo:admin', oauth: 'admin:repo', includes: ['repo.write'] },
];
