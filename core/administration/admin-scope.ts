// The grant of an admin scope to a user, and the parsing of admin-scope names.
import { adminScopes, type AdminScope } from '#core/kernel/access/admin-grants';
import { Unprocessable } from '#core/kernel/errors';

/** One admin scope that one user holds. */
export interface AdminScopeGrant {
  readonly userId: string;
  readonly scope: AdminScope;
  /** The user who granted it. The account may have been deleted since. */
  readonly grantedBy: string;
  readonly createdAt: Date;
}

/** Returns the admin scope of this name. @throws {Unprocessable} if no admin scope has this name. */
export function adminScope(name: string): AdminScope {
  const known = adminScopes.find((scope) => scope === name);
  if (known === undefined)
    throw new Unprocessable('There is no such admin scope', {
      detail: `The admin scopes are ${adminScopes.join(', ')}`,
    });
  return known;
}
