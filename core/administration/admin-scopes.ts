// Use cases that list, grant and revoke the admin scopes of users (delegated administration).
import { auditEntry, type AuditLog } from '#core/kernel/services/audit';
import { adminScopes, type AdminGrants, type AdminScope } from '#core/kernel/access/admin-grants';
import { tokenScopeOf, usesToken } from '#core/kernel/access/token-reach';
import type { Call, User } from '#core/kernel/caller';
import { Conflict, Forbidden, found, InsufficientScope, NotFound, ValidationFailed } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { PublicUser, Users } from '#core/identity/index';
import { adminScope, type AdminScopeGrant } from './admin-scope.ts';
import type { AdminGrantStore } from './ports.ts';

export interface AdminScopeParts {
  readonly grants: AdminGrantStore;
  readonly users: Users;
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly audit: AuditLog;
}

interface OfUser {
  readonly userId: string;
}
type OneGrant = OfUser & { readonly scope: string };

const missing = 'There is no such user';

/**
 * A token grants only what it reaches itself. A holder of admin:roles may grant themselves every other scope, so it
 * counts as all of them. @throws {InsufficientScope}
 */
function checkReach(caller: User, scope: AdminScope): void {
  const { scopes } = caller.credential;
  if (!usesToken(caller) || scopes === 'all') return;
  const granted = scope === 'admin:roles' ? adminScopes : [scope];
  const lacking = granted.map(tokenScopeOf).find((name) => !scopes.includes(name));
  if (lacking !== undefined) throw new InsufficientScope(lacking);
}

export function adminScopeUseCases({ grants, users, unitOfWork, events, audit }: AdminScopeParts) {
  const known = async (userId: string): Promise<PublicUser> =>
    found((await users.byIds([userId])).get(userId), missing);

  const tell = async (
    call: Call<User>,
    change: 'granted' | 'revoked',
    { id, username }: PublicUser,
    scope: string,
  ): Promise<void> => {
    const about = { aggregate: `user:${id}`, actorId: call.caller.id };
    await events.emit({ type: `admin_scope.${change}`, ...about, payload: { user_id: id, scope } });
    await audit.append(auditEntry(call, `admin_scope.${change}`, about.aggregate, { username, scope }));
  };

  return {
    /** Users who hold one admin scope. @throws {Unprocessable} for an unknown scope. */
    holders: async (
      _call: Call<User>,
      { scope, ...slice }: { readonly scope: string; readonly limit: number; readonly offset: number },
    ) => grants.ofScope(adminScope(scope), slice),

    /**
     * One page of all grants, or of those of a scope or user, with the users who hold and gave them. Deleted users are
     * missing. @throws {Unprocessable} for an unknown scope.
     */
    async page(
      _call: Call<User>,
      {
        scope,
        username,
        ...at
      }: PageRequest & { readonly scope: string | undefined; readonly username: string | undefined },
    ): Promise<Page<AdminScopeGrant> & { readonly users: ReadonlyMap<string, PublicUser> }> {
      const user = username === undefined ? undefined : await users.byUsername(username);
      const filter = {
        ...(scope !== undefined && { scope: adminScope(scope) }),
        ...(user !== undefined && { userId: user.id }),
      };
      const found =
        username !== undefined && user === undefined ? { ...at, items: [], total: 0 } : await grants.page(filter, at);
      return {
        ...found,
        users: await users.byIds(found.items.flatMap(({ userId, grantedBy }) => [userId, grantedBy])),
      };
    },

    /** The user of this name. @throws {ValidationFailed} if no user has it. */
    async named(_call: Call<User>, { username }: Pick<PublicUser, 'username'>): Promise<PublicUser> {
      const user = await users.byUsername(username);
      if (user === undefined) throw new ValidationFailed(missing, { detail: '"username" is not the name of a user' });
      return user;
    },

    /** The admin scopes of one user. @throws {NotFound} if the user does not exist. */
    async list(_call: Call<User>, { userId }: OfUser): Promise<readonly AdminScopeGrant[]> {
      await known(userId);
      return grants.ofUser(userId);
    },

    /**
     * Granting a scope that the user already holds returns the existing grant. @throws {Unprocessable | Forbidden |
     * NotFound}
     */
    async grant(call: Call<User>, { userId, scope: name }: OneGrant): Promise<AdminScopeGrant> {
      const scope = adminScope(name);
      if (scope === 'admin:roles' && !call.caller.isAdmin)
        throw new Forbidden('Only an instance administrator may grant admin:roles', {
          detail: 'Whoever holds it may grant every other admin scope',
        });
      checkReach(call.caller, scope);
      const user = await known(userId);
      try {
        return await unitOfWork.run(async () => {
          const grant: AdminScopeGrant = { userId, scope, grantedBy: call.caller.id, createdAt: call.now };
          if (await grants.add(grant)) {
            await tell(call, 'granted', user, scope);
            return grant;
          }
          return (await grants.ofUser(userId)).find((held) => held.scope === scope) ?? grant;
        });
      } catch (error) {
        // The user was deleted in the meantime.
        throw error instanceof Conflict ? new NotFound(missing, { cause: error }) : error;
      }
    },

    /** Revoking a scope that the user does not hold has no effect. @throws {Unprocessable | NotFound} */
    async revoke(call: Call<User>, { userId, scope: name }: OneGrant): Promise<void> {
      const scope = adminScope(name);
      const user = await known(userId);
      await unitOfWork.run(async () => {
        if (await grants.remove(userId, scope)) await tell(call, 'revoked', user, scope);
      });
    },

    port: {
      scopesOf: async (userId) => (await grants.ofUser(userId)).map(({ scope }) => scope),
      holders: (scopes, limit) => grants.holders(scopes.map(adminScope), limit),
    } satisfies AdminGrants,
  };
}

export type AdminScopeUseCases = ReturnType<typeof adminScopeUseCases>;
