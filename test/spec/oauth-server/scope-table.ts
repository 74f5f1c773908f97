// The hand-written table of which token may use which operation: the required scope of each kind of token, by method
// and path.

/** The OAuth2 scopes. */
export const oauthScopes = [
  'read:user',
  'read:repo',
  'write:repo',
  'admin:repo',
  'read:issue',
  'write:issue',
  'read:pipeline',
  'write:pipeline',
  'read:package',
  'write:package',
  'read:audit',
  'openid',
  'profile',
  'email',
  'mcp:read',
] as const;
type OAuthScope = (typeof oauthScopes)[number];

/** The scopes of personal access tokens. */
export const patScopes = [
  'repo:read',
  'repo:write',
  'repo:admin',
  'issue:read',
  'issue:write',
  'ci:read',
  'ci:write',
  'registry:read',
  'registry:write',
  'admin:users',
  'admin:system',
  'mcp:read',
  'mcp:write',
] as const;
type PatScope = (typeof patScopes)[number];

export type TokenScope = OAuthScope | PatScope;

/**
 * Scope → the wider scopes that include it. A scope includes only narrower ones of its family; scopes that are not
 * listed have no wider one.
 */
const wider: Partial<Readonly<Record<TokenScope, readonly TokenScope[]>>> = {
  'repo:read': ['repo:write', 'repo:admin'],
  'repo:write': ['repo:admin'],
  'issue:read': ['issue:write'],
  'read:repo': ['write:repo', 'admin:repo'],
  'write:repo': ['admin:repo'],
  'read:issue': ['write:issue'],
};

/** The scopes of a list without the given one and without those that include it. */
export const allBut = <S extends TokenScope>(scopes: readonly S[], one: TokenScope): readonly S[] =>
  scopes.filter((scope) => scope !== one && wider[one]?.includes(scope) !== true);

/**
 * The requirement for a token: a scope; `any`: every valid token is enough; `no`: no token of this kind has the scope;
 * `session`: a token is refused.
 */
export interface Door {
  readonly pat: PatScope | 'any' | 'no' | 'session';
  readonly oauth: OAuthScope | 'any' | 'no' | 'session';
}

const any: Door = { pat: 'any', oauth: 'any' };
const session: Door = { pat: 'session', oauth: 'session' };
const profile: Door = { pat: 'any', oauth: 'read:user' };
const claims: Door = { pat: 'no', oauth: 'openid' };
const readsRepo: Door = { pat: 'repo:read', oauth: 'read:repo' };
const writesRepo: Door = { pat: 'repo:write', oauth: 'write:repo' };
const adminsRepo: Door = { pat: 'repo:admin', oauth: 'admin:repo' };
const readsIssue: Door = { pat: 'issue:read', oauth: 'read:issue' };
const writesIssue: Door = { pat: 'issue:write', oauth: 'write:issue' };
const users: Door = { pat: 'admin:users', oauth: 'no' };
const system: Door = { pat: 'admin:system', oauth: 'no' };
const audit: Door = { pat: 'admin:system', oauth: 'read:audit' };

/**
 * Method and path under /api/v1. `*` matches any method and, at the end, any rest. The first match counts, and each row
 * matches an operation that no earlier row does.
 */
const table: readonly (readonly [operations: string, door: Door])[] = [
  // Discovery, metadata and keys are public, and so are the instance's own pages.
  ['GET /.well-known*', any],
  ['GET /healthz', any],
  ['GET /readyz', any],
  ['GET /', any],

  // Any valid credential may read /auth/me (OAuth2: read:user). Changing the profile needs a session, and so does
  // everything a token could use to gain scopes.
  ['GET /auth/me', profile],
  ['POST /auth/logout', session],
  ['POST /auth*', any],
  // Browsers sign in there, so everybody may call them.
  ['GET /auth*', any],
  ['GET /users/{username}', any],
  ['GET /user', profile],
  // The authorization endpoint needs a session; userinfo needs openid.
  ['* /oauth2/authorize', session],
  ['* /oauth2/userinfo', claims],
  // docs/api/decisions.md, "OAuth2 and OpenID Connect": an administrator needs the scope of administrators to register
  // clients.
  ['POST /oauth2/register', system],

  // admin:users for users, groups and their members, admin:system for every other admin route.
  ['* /admin/users/{uid}/admin-scopes*', system],
  ['* /admin/users*', users],
  ['* /admin/user-groups*', users],
  ['GET /admin/audit-log*', audit],
  ['* /admin*', system],

  // docs/api/decisions.md, "Repositories": actions of readers for themselves need the scope for reading.
  ['* /user/starred*', readsRepo],
  ['* /user*', session],
  // Creating needs repo:write; updating, deleting, collaborators and protection need repo:admin.
  ['GET /repos', readsRepo],
  ['POST /repos', writesRepo],
  ['GET /repos/{owner}/{repo}', readsRepo],
  ['* /repos/{owner}/{repo}', adminsRepo],
  ['GET /repos/{owner}/{repo}/collaborators*', readsRepo],
  ['* /repos/{owner}/{repo}/collaborators*', adminsRepo],
  ['* /repos/{owner}/{repo}/branches/{branch}/protection', adminsRepo],
  ['* /repos/{owner}/{repo}/role-templates*', adminsRepo],
  ['* /repos/{owner}/{repo}/settings', adminsRepo],
  ['* /repos/{owner}/{repo}/mcp/settings', adminsRepo],
  ['* /repos/{owner}/{repo}/subscription', readsRepo],

  // Issues, their comments and labels need the scopes of issues; deleting issues and history needs repo:admin.
  ['GET /issue-types*', any],
  ['DELETE /repos/{owner}/{repo}/issues/{number}', adminsRepo],
  ['DELETE /repos/{owner}/{repo}/issues/{number}/description-history/{id}', adminsRepo],
  ['* /repos/{owner}/{repo}/issues/{number}/subscription', readsIssue],
  ['GET /repos/{owner}/{repo}/issues*', readsIssue],
  ['* /repos/{owner}/{repo}/issues*', writesIssue],
  ['GET /repos/{owner}/{repo}/issue-type-scheme', readsIssue],
  ['PUT /repos/{owner}/{repo}/issue-type-scheme', adminsRepo],
  ...['components', 'versions', 'labels'].flatMap(
    (things) =>
      [
        [`GET /repos/{owner}/{repo}/${things}*`, readsIssue],
        [`* /repos/{owner}/{repo}/${things}*`, writesIssue],
      ] as const,
  ),

  // A search has the sections that the token may see; test/spec/search tests its scopes. Without a text it is rejected
  // for every token.
  ['GET /search*', any],

  // The deprecated paths of merge requests redirect every caller.
  ['* /repos/{owner}/{repo}/pulls*', any],
  // Everything else: contents, branches, tags, commits, merge requests, milestones, forks.
  ['GET /repos/{owner}/{repo}/*', readsRepo],
  ['* /repos/{owner}/{repo}/*', writesRepo],
];

const fits = (operations: string, method: string, path: string): boolean => {
  const [verb = '', pattern = ''] = operations.split(' ');
  if (verb !== '*' && verb !== method) return false;
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
};

/** The row of the table for an operation; `path` is that of the OpenAPI document. */
export function doorOf(method: string, path: string): { readonly line: string; readonly door: Door } | undefined {
  const found = table.find(([operations]) => fits(operations, method, path.replace(/^\/api\/v1(?=\/)/, '')));
  return found && { line: found[0], door: found[1] };
}

export const lines: readonly string[] = table.map(([operations]) => operations);
