// The hand-written table of who administers what: the admin scope of each route under /api/v1/admin, and the scope that
// a personal access token needs in addition.

/** All admin scopes. */
export const adminScopes = [
  'admin:users',
  'admin:impersonation',
  'admin:settings',
  'admin:system',
  'admin:roles',
  'admin:runners',
  'admin:rate_limit',
  'admin:audit_read',
  'admin:oauth2',
  'admin:repo_transfer',
  'admin:repo_roles',
] as const;
type AdminScope = (typeof adminScopes)[number];

export interface Guard {
  /** Undefined: only super-admins. */
  readonly scope: AdminScope | undefined;
  /** admin:users for users, groups and their members; admin:system for every other admin route. */
  readonly pat: 'admin:users' | 'admin:system';
}

/** Paths under /api/v1/admin. A `*` at the end matches any rest; the first match counts. */
const table: readonly (readonly [path: string, guard: Guard])[] = [
  ['/users/{uid}/admin-scopes*', { scope: 'admin:roles', pat: 'admin:system' }],
  ['/admin-scopes', { scope: 'admin:roles', pat: 'admin:system' }],
  ['/users*', { scope: 'admin:users', pat: 'admin:users' }],
  ['/user-groups*', { scope: 'admin:users', pat: 'admin:users' }],
  ['/settings*', { scope: 'admin:settings', pat: 'admin:system' }],
  ['/rate-limits*', { scope: 'admin:rate_limit', pat: 'admin:system' }],
  // Self-service OAuth2 applications, as an administrator sees them.
  ['/oauth2/apps*', { scope: 'admin:oauth2', pat: 'admin:system' }],
  // Only super-admins.
  ['/audit-log*', { scope: undefined, pat: 'admin:system' }],
  // Instance administrators.
  ['/issue-types*', { scope: undefined, pat: 'admin:system' }],
  ['/search/*', { scope: undefined, pat: 'admin:system' }],
  ['/plugins', { scope: undefined, pat: 'admin:system' }],
];

/** The row of the table for a path of the OpenAPI document. */
export function guardOf(path: string): { readonly line: string; readonly guard: Guard } | undefined {
  const rest = path.slice('/api/v1/admin'.length);
  const found = table.find(([line]) => (line.endsWith('*') ? rest.startsWith(line.slice(0, -1)) : rest === line));
  return found && { line: found[0], guard: found[1] };
}

export const lines: readonly string[] = table.map(([line]) => line);
