// Implements the port `Users`: the accounts as seen by other areas.
import type { Account } from '../model/account.ts';
import type { PublicUser, Users } from '../model/offers.ts';
import type { IdentityParts } from '../model/parts.ts';
import { isUsername } from '../model/username.ts';

const publicUser = ({ id, username, displayName, avatarUrl }: Account): PublicUser => ({
  id,
  username,
  displayName,
  avatarUrl,
});

export function users({ accounts }: Pick<IdentityParts, 'accounts'>): Users {
  const byIds = async (ids: readonly string[]): Promise<readonly Account[]> =>
    ids.length === 0 ? [] : accounts.byIds([...new Set(ids)]);
  return {
    async byUsername(username) {
      const account = isUsername(username) ? await accounts.byUsername(username) : undefined;
      return account && publicUser(account);
    },
    async byUsernames(usernames) {
      const names = usernames.filter(isUsername);
      return names.length === 0 ? [] : (await accounts.byUsernames(names)).map(publicUser);
    },
    async byIds(ids) {
      return new Map((await byIds(ids)).map((account) => [account.id, publicUser(account)]));
    },
    async email(id) {
      return (await accounts.byId(id))?.email ?? '';
    },
    async administrators(ids) {
      return new Set((await byIds(ids)).filter(({ isAdmin }) => isAdmin).map(({ id }) => id));
    },
    async active(ids) {
      return new Set((await byIds(ids)).filter(({ status }) => status === 'active').map(({ id }) => id));
    },
  };
}
