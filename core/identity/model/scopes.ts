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
  { name: 'user.read', pat: anyToken, oauth: 'read:user', about: 'read your account' },
  { name: 'admin.users', pat: 'admin:users', about: 'administer the users of this instance, if you may' },
  {
    name: 'admin.system',
    pat: 'admin:system',
    about: 'administer this instance, if you may: settings, plugins, applications, the audit log',
  },
];

/** Tokens can already have these scopes. A row moves to the plugin whose routes use it. */
export const reservedScopes: readonly ScopeRow[] = [
  { name: 'issue.read', pat: 'issue:read', oauth: 'read:issue', about: 'read issues' },
  {
    name: 'issue.write',
    pat: 'issue:write',
    oauth: 'write:issue',
    about: 'write issues and comments in your name',
    includes: ['issue.read'],
  },
  { name: 'ci.read', pat: 'ci:read', oauth: 'read:pipeline', about: 'read pipelines and their logs' },
  {
    name: 'ci.write',
    pat: 'ci:write',
    oauth: 'write:pipeline',
    about: 'run and cancel pipelines',
    includes: ['ci.read'],
  },
  { name: 'registry.read', pat: 'registry:read', oauth: 'read:package', about: 'read packages' },
  {
    name: 'registry.write',
    pat: 'registry:write',
    oauth: 'write:package',
    about: 'publish packages',
    includes: ['registry.read'],
  },
  { name: 'audit.read', pat: 'admin:system', oauth: 'read:audit', about: 'read the audit log of this instance' },
  {
    name: 'mcp.read',
    pat: 'mcp:read',
    oauth: 'mcp:read',
    about: 'read repositories, issues and code that you can read, as an assistant (MCP)',
  },
  {
    name: 'mcp.write',
    pat: 'mcp:write',
    about: 'change repositories, issues and merge requests in your name, as an assistant (MCP)',
    includes: ['mcp.read'],
  },
];
