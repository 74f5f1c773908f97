// Permissions and scopes of this area: the guarded resource, its permissions with the least role that has each, and
// the rows of the scope catalogue.
import type { PermissionDeclaration } from '#core/kernel/permissions';
import type { ScopeRow } from '#core/kernel/scopes';
import type { CountedRepository } from './record.ts';
import type { Repository } from './repository.ts';

declare module '#core/kernel/access' {
  interface Resources {
    repository: Repository;
    /** The same, read together with the counts of its record: for a route that answers with that. */
    'counted-repository': CountedRepository;
  }
  interface Permissions {
    'repo.read': 'repository' | 'counted-repository';
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

/**
 * Document D, "Repositories": role permissions. The table is whole here, whichever areas are there: a role keeps its
 * meaning and a custom one can be made before the area that asks for its permissions is switched on. Plugins contribute
 * what is beyond it.
 */
export const repositoryPermissions: readonly PermissionDeclaration[] = [
  ...['repo.read', 'issue.read', 'ci.read', 'environment:read'].map((name) => ({ name, from: 'read' }) as const),
  ...['issue.write', 'label.create'].map((name) => ({ name, from: 'triage' }) as const),
  ...[
    'repo.write',
    'milestone.write',
    'merge.open',
    'merge.update',
    'merge.merge',
    'ci.write',
    'deployment:trigger',
  ].map((name) => ({ name, from: 'write' }) as const),
  ...['deployment:approve', 'branch.protect'].map((name) => ({ name, from: 'maintain' }) as const),
  { name: 'repo.admin', from: 'admin' },
  { name: 'repo.own', from: 'owner' },
];

/** Document B, "Authentication". */
export const repositoryScopes: readonly ScopeRow[] = [
  { name: 'repo.read', pat: 'repo:read', oauth: 'read:repo' },
  { name: 'repo.write', pat: 'repo:write', oauth: 'write:repo', includes: ['repo.read'] },
  { name: 'repo.admin', pat: 'repo:admin', oauth: 'admin:repo', includes: ['repo.write'] },
];
