// The port `Users`: the accounts as other areas see them.
import type { Account } from './account.ts';
import type { PublicUser, Users } from './offers.ts';
import type { AccountStore } from './ports.ts';
import { isUsername } from './username.ts';

const publicUser = ({ id, username, displayName, avatarUrl }: Account): PublicUser => ({
  id,
  username,
  displayName,
  avatarUrl,
});

export function users({ accounts }: { readonly accounts: AccountStore }): Users {
  return {
    async byUsername(username) {
      const account = isUsername(username) ? await accounts.byUsername(username) : undefined;
      return account && publicUser(account);
    },
    async byIds(ids) {
      const found = ids.length === 0 ? [] : await accounts.byIds([...new Set(ids)]);
      return new Map(found.map((account) => [account.id, publicUser(account)]));
    },
  } satisfies Users;
}
