// The port `Vouching`: accounts as whoever issues credentials for them needs to know them.
import type { AccountStanding } from '#core/kernel/credentials';
import type { Vouching } from './offers.ts';
import type { AccountStore, SessionStore } from './ports.ts';

export interface VouchingParts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly standing: AccountStanding;
}

export function vouching({ accounts, sessions, standing }: VouchingParts): Vouching {
  const claims: Vouching['claims'] = async (id) => {
    const account = (await standing.of(id)) && (await accounts.byId(id));
    if (account === undefined) return undefined;
    const { username, displayName, avatarUrl, email, emailVerified, lastActiveAt, createdAt } = account;
    return { id, username, displayName, avatarUrl, email, emailVerified, updatedAt: lastActiveAt ?? createdAt };
  };
  return {
    claims,
    held: async (id) => (await accounts.lock(id)) && claims(id),
    signedInAt: (id, now) => sessions.startedAt(id, now),
  } satisfies Vouching;
}
