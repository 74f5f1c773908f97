// An admin scope as it is granted: to whom, by whom, and which ones there are (document C, "Admin-scope grant").
import { adminScopes, type AdminScope } from '#core/kernel/admin-grants';
import { Unprocessable } from '#core/kernel/errors';

/** One admin scope that one user holds. */
export interface AdminScopeGrant {
  readonly userId: string;
  readonly scope: AdminScope;
  /** The user who granted it, who may be gone by now. */
  readonly grantedBy: string;
  readonly createdAt: Date;
}

/** The admin scope of that name. @throws {Unprocessable} where there is none. */
export function adminScope(name: string): AdminScope {
  const known = adminScopes.find((scope) => scope === name);
  if (known === undefined)
    throw new Unprocessable('There is no such admin scope', {
      detail: `The admin scopes are ${adminScopes.join(', ')}`,
    });
  return known;
}
