// Which token opens which operation, written by hand from the headings "Authentication" of documents A, B and C and
// from document D: the scope of each kind of token, by method and path.

/** Document A, "Authentication": the OAuth2 scopes, in its order. */
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

/** Document A, "Authentication": the scopes of personal access tokens, in its order. */
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
 * Document D, "Accounts, sessions, tokens": a wider scope includes the narrower one of its family, and no scope outside
 * it does. The scopes that are wider than one; of all others there are none.
 */
const wider: Partial<Readonly<Record<TokenScope, readonly TokenScope[]>>> = {
  'repo:read': ['repo:write', 'repo:admin'],
  'repo:write': ['repo:admin'],
  'issue:read': ['issue:write'],
  'read:repo': ['write:repo', 'admin:repo'],
  'write:repo': ['admin:repo'],
  'read:issue': ['write:issue'],
};

/** Every scope of a list that does not do for one. */
export const allBut = <S extends TokenScope>(scopes: readonly S[], one: TokenScope): readonly S[] =>
  scopes.filter((scope) => scope !== one && wider[one]?.includes(scope) !== true);

/** What a token needs: a scope; `any` good token will do; `no` token has a scope for it; a `session` it is not. */
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
 * Method and path under /api/v1, `*` for any method and, at the end, for any rest; the first that fits counts. Each
 * fits an operation that no earlier one does.
 */
const table: readonly (readonly [operations: string, door: Door])[] = [
  // Document A: discovery is public, metadata and keys too; so are the instance's own pages.
  ['GET /.well-known*', any],
  ['GET /healthz', any],
  ['GET /readyz', any],
  ['GET /', any],

  // Document D, "Accounts, sessions, tokens": any valid credential may read /auth/me (OAuth2: read:user); changing the
  // profile needs a session, and so does what a token could use to widen itself.
  ['GET /auth/me', profile],
  ['POST /auth/logout', session],
  ['POST /auth*', any],
  ['GET /users/{username}', any],
  ['GET /user', profile],
  // Document A, "Authentication": /authorize needs a session; openid, claims.
  ['* /oauth2/authorize', session],
  ['* /oauth2/userinfo', claims],
  // docs/api/decisions.md, "OAuth2 and OpenID Connect": an administrator registers with the scope of administrators.
  ['POST /oauth2/register', system],

  // Document D, "Administration": admin:users for users, groups and their members, admin:system for every other route.
  ['* /admin/users/{uid}/admin-scopes*', system],
  ['* /admin/users*', users],
  ['* /admin/user-groups*', users],
  ['GET /admin/audit-log*', audit],
  ['* /admin*', system],

  // docs/api/decisions.md, "Repositories": what a reader does for themselves needs the scope of reading.
  ['* /user/starred*', readsRepo],
  ['* /user*', session],
  // Document D, "Repositories": creating needs repo:write; updating, deleting, collaborators and protection repo:admin.
  ['GET /repos', readsRepo],
  ['POST /repos', writesRepo],
  ['GET /repos/{owner}/{repo}', readsRepo],
  ['* /repos/{owner}/{repo}', adminsRepo],
  ['GET /repos/{owner}/{repo}/collaborators*', readsRepo],
  ['* /repos/{owner}/{repo}/collaborators*', adminsRepo],
  ['* /repos/{owner}/{repo}/branches/{branch}/protection', adminsRepo],
  ['* /repos/{owner}/{repo}/role-templates*', adminsRepo],
  ['* /repos/{owner}/{repo}/subscription', readsRepo],

  // Document B, "Authentication": issues, their comments and labels by the scopes of issues. Document D, "Issues".
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

  // The old paths of merge requests tell anyone where the new ones are.
  ['* /repos/{owner}/{repo}/pulls*', any],
  // Browsing, and all else: contents, branches, tags, commits, merge requests, milestones, forks.
  ['GET /repos/{owner}/{repo}/*', readsRepo],
  ['* /repos/{owner}/{repo}/*', writesRepo],
];

const fits = (operations: string, method: string, path: string): boolean => {
  const [verb = '', pattern = ''] = operations.split(' ');
  if (verb !== '*' && verb !== method) return false;
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
};

/** The line of the table for an operation, `path` as the OpenAPI document has it. */
export function doorOf(method: string, path: string): { readonly line: string; readonly door: Door } | undefined {
  const found = table.find(([operations]) => fits(operations, method, path.replace(/^\/api\/v1(?=\/)/, '')));
  return found && { line: found[0], door: found[1] };
}

export const lines: readonly string[] = table.map(([operations]) => operations);
