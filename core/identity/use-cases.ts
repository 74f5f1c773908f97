// Builds the use cases of identity from their parts, for its own plugin.
import { whereKept } from '#core/kernel/audit';
import { inBatches } from '#core/kernel/batches';
import type { CredentialReader } from '#core/kernel/credentials';
import type { MeteredTargets } from '#core/kernel/rate';
import { accessTokens } from './access-tokens.ts';
import type { AccessTokenParts } from './access-tokens.ts';
import { accountRecovery } from './account-recovery.ts';
import type { RecoveryParts } from './account-recovery.ts';
import { administration } from './administration.ts';
import type { AdministrationParts } from './administration.ts';
import { firstAdministrator } from './first-administrator.ts';
import type { FirstAdministratorParts } from './first-administrator.ts';
import { createAccount } from './new-account.ts';
import type { NewAccountParts } from './new-account.ts';
import { passwordSignIn } from './password-sign-in.ts';
import type { PasswordParts } from './password-sign-in.ts';
import { profiles } from './profiles.ts';
import type { ProfileParts } from './profiles.ts';
import { secondsAfter } from './session.ts';
import { sessions } from './sessions.ts';
import type { SessionParts } from './sessions.ts';
import { userGroupUseCases } from './user-groups.ts';
import type { GroupParts } from './user-groups.ts';
import { users } from './users.ts';
import { vouching } from './vouching.ts';

export type { SignedIn } from './sessions.ts';

/** The dependencies of the use cases: the stores of this area, kernel ports and cryptography. */
export type IdentityParts = NewAccountParts &
  PasswordParts &
  Omit<SessionParts, 'passwords'> &
  AccessTokenParts &
  RecoveryParts &
  GroupParts &
  Omit<ProfileParts & AdministrationParts & FirstAdministratorParts, 'create'>;

export function identityUseCases(parts: IdentityParts) {
  // Without an audit log, an instance can still be started and signed in to.
  const auditOptional = { ...parts, audit: whereKept(parts.audit) };
  const created = { ...parts, create: createAccount(parts) };
  const passwords = passwordSignIn(auditOptional);
  const session = sessions({ ...auditOptional, passwords });
  const tokens = accessTokens(parts);
  return {
    passwordSignIn: passwords.basic,
    accountStanding: passwords.standing,
    sessions: session,
    tokens,
    profiles: profiles(created),
    administration: administration(created),
    users: users(parts),
    groups: userGroupUseCases(parts),
    meteredTargets: { tokens: (ids) => parts.tokens.known(ids) } satisfies MeteredTargets,
    vouching: vouching({ ...parts, blockOf: passwords.blockOf }),
    recovery: accountRecovery(parts),
    firstAdministrator: firstAdministrator({ ...parts, create: createAccount(auditOptional) }),
    /** Reads every token whose prefix no other reader claims. */
    credentialReader: {
      prefix: '',
      read: (text, now) => (text.startsWith(tokens.reader.prefix) ? tokens : session).reader.read(text, now),
    } satisfies CredentialReader,
    async pruneSessions(): Promise<void> {
      const { sessions: store, unitOfWork, lifetimes } = parts;
      const now = parts.clock.now();
      // Used refresh tokens are kept for their full lifetime, so that reuse is detected.
      const before = secondsAfter(now, -lifetimes.refreshSeconds);
      await inBatches(unitOfWork, (most) => store.pruneRefreshTokens(before, most));
      await inBatches(unitOfWork, (most) => store.prune(now, most));
    },
  };
}
export type IdentityUseCases = ReturnType<typeof identityUseCases>;
