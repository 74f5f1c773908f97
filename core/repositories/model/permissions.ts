// Permissions and scopes of this area: the guarded resource, the permissions with the least role that has each, and the
// rows of the scope catalogue.
import type { PermissionOn } from '#core/kernel/access/access';
import type { PermissionDeclaration } from '#core/kernel/access/permissions';
import type { ScopeRow } from '#core/kernel/access/scopes';
import type { CountedRepository } from './ports.ts';
import type { Repository } from './repository.ts';

declare module '#core/kernel/access/access' {
  interface Resources {
    repository: Repository;
    /** The same resource, read together with its counts in one query. For routes whose response contains the counts. */
    'counted-repository': CountedRepository;
  }
  interface Permissions {
    'repo.read': 'repository' | 'counted-repository';
    'repo.write': 'repository';
    'repo.admin': 'repository';
    'branch.protect': 'repository';
    /** Rename, change visibility, delete: only for the owner and instance administrators. */
    'repo.own': 'repository';
  }
  interface ReadPermissions {
    repository: 'repo.read';
  }
  interface IncludedPermissions {
    /** Owners and administrators of the instance hold every permission. No role contains `repo.own`. */
    'repo.own': PermissionOn<'repository'>;
  }
}

declare module '#core/kernel/access/scopes' {
  interface Scopes {
    'repo.read': true;
    'repo.write': true;
    'repo.admin': true;
  }
}

/**
 * The permissions of the built-in roles. The table contains the permissions of all areas, enabled or not, so that a
 * role always means the same, and a custom role can be created before the area that uses its permissions is enabled.
 * Plugins contribute further permissions.
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

/** The scopes for this area, with their names in personal access tokens and OAuth2 tokens. */
export const repositoryScopes: readonly ScopeRow[] = [
  {
    name: 'repo.read',
    pat: 'repo:read',
    oauth: 'read:repo',
    about: 'read all repositories that you can read, private ones too',
  },
  {
    name: 'repo.write',
    pat: 'repo:write',
    oauth: 'write:repo',
    about: 'change repositories that you can write to',
    includes: ['repo.read'],
  },
  {
    name: 'repo.admin',
    pat: 'repo:admin',
    oauth: 'admin:repo',
    about: 'administer your repositories: settings, people, protection, deletion',
    includes: ['repo.write'],
  },
];
