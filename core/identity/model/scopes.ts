// Token scopes of this area, and reserved scopes of areas that have no operations yet.
import { anyToken, type ScopeRow } from '#core/kernel/access/scopes';

declare module '#core/kernel/access/scopes' {
  interface Scopes {
    'user.read': true;
    'admin.users': true;
    'admin.system': true;
    'issue.read': true;
    'issue.write': true;
    'ci.read': true;
    'ci.write': true;
    'registry.read': true;
    'registry.write': true;
    'mcp.read': true;
    'mcp.write': true;
    'audit.read': true;
  }
}

/** Every personal access token may call `authMe`; an OAuth2 token needs `read:user`. */
export const identityScopes: readonly ScopeRow[] = [
  { name: 'user.read', pat: anyToken, oauth: 'read:user' },
  { name: 'admin.users', pat: 'admin:users' },
  { name: 'admin.system', pat: 'admin:system' },
];

/** Tokens can already have these scopes. A row moves to the plugin whose routes use it. */
export const reservedScopes: readonly ScopeRow[] = [
  { name: 'issue.read', pat: 'issue:read', oauth: 'read:issue' },
  { name: 'issue.write', pat: 'issue:write', oauth: 'write:issue', includes: ['issue.read'] },
  { name: 'ci.read', pat: 'ci:read', oauth: 'read:pipeline' },
  { name: 'ci.write', pat: 'ci:write', oauth: 'write:pipeline', includes: ['ci.read'] },
  { name: 'registry.read', pat: 'registry:read', oauth: 'read:package' },
  { name: 'registry.write', pat: 'registry:write', oauth: 'write:package', includes: ['registry.read'] },
  { name: 'audit.read', pat: 'admin:system', oauth: 'read:audit' },
  { name: 'mcp.read', pat: 'mcp:read', oauth: 'mcp:read' },
  { name: 'mcp.write', pat: 'mcp:write', includes: ['mcp.read'] },
];
