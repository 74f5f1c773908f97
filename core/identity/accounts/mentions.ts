// The people that a text mentions.
import type { PublicUser } from '../model/offers.ts';
import type { IdentityParts } from '../model/parts.ts';
import { isPersonName } from '../model/username.ts';

/** Returns those that exist. Profiles are public. */
export const mentioned =
  ({ accounts }: Pick<IdentityParts, 'accounts'>) =>
  (usernames: readonly string[]): Promise<readonly Pick<PublicUser, 'username' | 'displayName'>[]> =>
    accounts.byUsernames(usernames.filter(isPersonName));
