// Delegated administration: the admin scopes that users can be granted, and the port that reads them.
import { declarePort } from '../ports.ts';

/** The port that returns the admin scopes of a user. */
export interface AdminGrants {
  /** Called on every request to an administrator operation, so that a revoked scope is denied from the next request. */
  scopesOf(userId: string): Promise<readonly string[]>;
  /**
   * Users who hold at least one of these scopes, at most `limit`. Without it, nobody but an instance administrator
   * deletes a user group that has members.
   */
  holders?(scopes: readonly string[], limit: number): Promise<readonly string[]>;
}

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
/** The name of an admin scope. */
export type AdminScope = (typeof adminScopes)[number];

/** Allows instance administrators, and users who hold at least one admin scope. */
export const anyAdmin = { who: 'admin', scopes: adminScopes, any: true } as const;

declare module '../ports.ts' {
  interface OptionalPorts {
    AdminGrants: AdminGrants;
  }
}

declarePort('AdminGrants', { arity: 'optional', component: 'admin-grants store', critical: true, absent: 'degraded' });
