// The people that a text mentions.
import type { PublicUser } from '../model/offers.ts';
import { hasPublicProfile } from '../model/account.ts';
import type { IdentityParts } from '../model/parts.ts';
import { isPersonName } from '../model/username.ts';

/** Returns those whose profile is public. */
export const mentioned =
  ({ accounts }: Pick<IdentityParts, 'accounts'>) =>
  async (usernames: readonly string[]): Promise<readonly Pick<PublicUser, 'username' | 'displayName'>[]> =>
    (await accounts.byUsernames(usernames.filter(isPersonName))).filter(hasPublicProfile);
