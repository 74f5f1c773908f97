// Decides whether an administrator may act on an account. Administrators without the super-admin flag act only on
// accounts that have no rights beyond their own, so that delegated administration gains nothing.
import { tokenScopeOf, usesToken } from '#core/kernel/access/token-reach';
import type { Call, User } from '#core/kernel/caller';
import { Forbidden, found } from '#core/kernel/errors';
import type { IdentityParts } from '../model/parts.ts';
import type { SecuredAccount } from '../model/ports.ts';

export const noUser = 'There is no such user';

/**
 * Only instance administrators give or take the super-admin flag. A token cannot give it, because its
 * holder could then sign in as an instance administrator. @throws {Forbidden}
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
  const checkTarget = async ({ caller }: Call<User>, { id, isAdmin }: SecuredAccount['account']): Promise<void> => {
    if (caller.isAdmin || caller.id === id) return;
    if (isAdmin) throw new Forbidden('Only an instance administrator may change an instance administrator');
    if ((await groups.ofUser(id)).some(({ role }) => role === 'instance_admin'))
      throw new Forbidden('Only an instance administrator may change a member of a group of the role instance_admin');
    const own = await scopesOf(caller.id);
    const missing = (await scopesOf(id)).find((scope) => !own.includes(scope));
    if (missing !== undefined) throw beyond(missing, 'only who holds it too may change the account');
  };

  return {
    /** Locks an account that the caller may act on. @throws {NotFound | Forbidden} */
    async target(call: Call<User>, id: string): Promise<SecuredAccount> {
      const held = found(await accounts.lock(id), noUser);
      await checkTarget(call, held.account);
      return held;
    },

    /**
     * Checks that setting the password of the account does not turn a token into a session with more rights.
     * @throws {Forbidden}
     */
    async checkPasswordOf({ caller }: Call<User>, { id, isAdmin }: SecuredAccount['account']): Promise<void> {
      if (caller.id === id)
        throw new Forbidden('This operation sets the password of another account', {
          detail: 'Change your own at POST /user/password',
        });
      const { scopes } = caller.credential;
      if (!usesToken(caller) || scopes === 'all') return;
      if (isAdmin)
        throw new Forbidden('A token cannot set the password of an instance administrator', {
          detail: 'It needs a session',
        });
      const missing = (await scopesOf(id)).find((scope) => !scopes.includes(tokenScopeOf(scope)));
      if (missing !== undefined) throw beyond(missing, `the token needs the scope ${tokenScopeOf(missing)} for it`);
    },
  };
}
