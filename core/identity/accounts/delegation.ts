// Decides whether an administrator may act on an account. Administrators without the super-admin flag act only on
// accounts that have no rights beyond their own, so that delegated administration gains nothing.
import { adminScopes } from '#core/kernel/access/admin-grants';
import { tokenScopeOf, usesToken } from '#core/kernel/access/token-reach';
import type { Call, User } from '#core/kernel/caller';
import { Forbidden, found } from '#core/kernel/errors';
import type { IdentityParts } from '../model/parts.ts';
import type { SecuredAccount } from '../model/ports.ts';

export const noUser = 'There is no such user';

/** More holders of admin scopes are not compared with the members of a group. */
const mostHolders = 1000;

type Target = SecuredAccount['account'];

/**
 * Only instance administrators give or take the super-admin flag. A token cannot give it, because a holder of the token
 * could then sign in as an instance administrator. @throws {Forbidden}
 */
export function checkMayGive({ caller }: Call<User>, isAdmin: boolean): void {
  const detail = '"is_admin" needs the super-admin flag, and a session';
  if (!caller.isAdmin) throw new Forbidden('Only an instance administrator may make another', { detail });
  if (isAdmin && usesToken(caller)) throw new Forbidden('A token cannot make an instance administrator', { detail });
}

export function delegation({
  accounts,
  groups,
  adminGrants,
}: Pick<IdentityParts, 'accounts' | 'groups' | 'adminGrants'>) {
  const scopesOf = async (userId: string): Promise<readonly string[]> => (await adminGrants()?.scopesOf(userId)) ?? [];

  const beyond = (scope: string, detail: string): Forbidden =>
    new Forbidden(`admin scope required: ${scope}`, { detail: `The account holds it; ${detail}` });

  /** Users may act on their own account. */
  const checkTarget = async ({ caller }: Call<User>, { id, isAdmin }: Target): Promise<void> => {
    if (caller.isAdmin || caller.id === id) return;
    if (isAdmin) throw new Forbidden('Only an instance administrator may change an instance administrator');
    if ((await groups.ofUser(id)).some(({ role }) => role === 'instance_admin'))
      throw new Forbidden('Only an instance administrator may change a member of a group of the role instance_admin');
    const own = await scopesOf(caller.id);
    const missing = (await scopesOf(id)).find((scope) => !own.includes(scope));
    if (missing !== undefined) throw beyond(missing, 'only who holds it too may change the account');
  };

  /** A token does not become a session with more rights. `what` it would set. @throws {Forbidden} */
  const checkWayIn = async ({ caller }: Call<User>, { id, isAdmin }: Target, what: string): Promise<void> => {
    const { scopes } = caller.credential;
    if (!usesToken(caller) || scopes === 'all') return;
    if (isAdmin)
      throw new Forbidden(`A token cannot set ${what} of an instance administrator`, { detail: 'It needs a session' });
    const missing = (await scopesOf(id)).find((scope) => !scopes.includes(tokenScopeOf(scope)));
    if (missing !== undefined) throw beyond(missing, `the token needs the scope ${tokenScopeOf(missing)} for it`);
  };

  return {
    /** Why the caller may not change the account; undefined if they may. */
    async refusal(call: Call<User>, account: Target): Promise<Forbidden | undefined> {
      try {
        await checkTarget(call, account);
        return undefined;
      } catch (error) {
        if (error instanceof Forbidden) return error;
        throw error;
      }
    },

    /** Locks an account that the caller may act on. @throws {NotFound | Forbidden} */
    async target(call: Call<User>, id: string): Promise<SecuredAccount> {
      const held = found(await accounts.lock(id), noUser);
      await checkTarget(call, held.account);
      return held;
    },

    /** Checks that the caller may act on every member of a group that is not built in. @throws {Forbidden} */
    async checkMembers({ caller }: Call<User>, groupId: string): Promise<void> {
      if (caller.isAdmin) return;
      const own = await scopesOf(caller.id);
      const lacked = adminScopes.filter((scope) => !own.includes(scope));
      const grants = adminGrants();
      const ids = lacked.length === 0 || grants === undefined ? [] : await grants.holders?.(lacked, mostHolders);
      const protects =
        ids === undefined || ids.length >= mostHolders
          ? ((await groups.byId(groupId))?.memberCount ?? 0) > 0
          : await groups.hasAdministrator(groupId, { ids, except: caller.id });
      if (protects)
        throw new Forbidden('Only an instance administrator may delete this group', {
          detail: 'A member is an instance administrator, or holds an admin scope that you do not hold',
        });
    },

    /** Checks that setting the password of the account gains nothing by a token. @throws {Forbidden} */
    async checkPasswordOf(call: Call<User>, account: Target): Promise<void> {
      if (call.caller.id === account.id)
        throw new Forbidden('This operation sets the password of another account', {
          detail: 'Change your own at POST /user/password',
        });
      await checkWayIn(call, account, 'the password');
    },

    /**
     * Checks that setting the e-mail address of the account, by which a password can be reset, gains nothing by a
     * token.
     * @throws {Forbidden}
     */
    async checkAddressOf(call: Call<User>, account: Target): Promise<void> {
      if (call.caller.id === account.id && usesToken(call.caller))
        throw new Forbidden('A token cannot set the e-mail address of your own account', {
          detail: 'It needs a session',
        });
      await checkWayIn(call, account, 'the e-mail address');
    },
  };
}
