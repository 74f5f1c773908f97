// Implements the port `Vouching`: account data for issuers of other credentials.
import type { Account } from '../model/account.ts';
import type { AccountClaims, Vouching } from '../model/offers.ts';
import type { IdentityParts } from '../model/parts.ts';
import type { SignInBlocks } from '../sign-in/sign-in-blocks.ts';

export function vouching({ accounts, sessions }: IdentityParts, { blockOf }: SignInBlocks): Vouching {
  const claimsOf = async (account: Account | undefined): Promise<AccountClaims | undefined> => {
    if (account === undefined || (await blockOf(account)) !== undefined) return undefined;
    const { id, username, displayName, avatarUrl, email, emailVerified, lastActiveAt, createdAt } = account;
    return { id, username, displayName, avatarUrl, email, emailVerified, updatedAt: lastActiveAt ?? createdAt };
  };
  return {
    claims: async (id) => claimsOf(await accounts.byId(id)),
    held: async (id) => claimsOf((await accounts.lock(id))?.account),
    signedInAt: (id, now) => sessions.startedAt(id, now),
  };
}
