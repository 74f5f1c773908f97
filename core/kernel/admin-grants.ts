// Delegated administration: which admin scopes (document C, "Authentication") a user was granted.
import { declarePort } from './ports.ts';

/** The port that knows the admin scopes users were granted. */
export interface AdminGrants {
  /** Asked on every call of an administrators' operation: what was taken away counts at the next one. */
  scopesOf(userId: string): Promise<readonly string[]>;
}

/** Document C, "Admin scopes", and document D's `admin:repo_roles`. */
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

declare module './ports.ts' {
  interface OptionalPorts {
    AdminGrants: AdminGrants;
  }
}

declarePort('AdminGrants', { arity: 'optional', component: 'admin-grants store', critical: true, absent: 'degraded' });
