// Builds the use cases of identity from their parts, for its own plugin.
import { whereKept } from '#core/kernel/services/audit';
import { inBatches } from '#core/kernel/storage/batches';
import type { CredentialReader } from '#core/kernel/access/credentials';
import type { MeteredTargets } from '#core/kernel/rate';
import { accessTokens } from './sign-in/access-tokens.ts';
import type { AccessTokenParts } from './sign-in/access-tokens.ts';
import { accountRecovery } from './accounts/account-recovery.ts';
import type { RecoveryParts } from './accounts/account-recovery.ts';
import { administration } from './accounts/administration.ts';
import type { AdministrationParts } from './accounts/administration.ts';
import { firstAdministrator } from './accounts/first-administrator.ts';
import type { FirstAdministratorParts } from './accounts/first-administrator.ts';
import { createAccount } from './accounts/new-account.ts';
import type { NewAccountParts } from './accounts/new-account.ts';
import { passwordSignIn } from './sign-in/password-sign-in.ts';
import type { PasswordParts } from './sign-in/password-sign-in.ts';
import { profiles } from './accounts/profiles.ts';
import type { ProfileParts } from './accounts/profiles.ts';
import { secondsAfter } from './model/session.ts';
import { sessions } from './sign-in/sessions.ts';
import type { SessionParts } from './sign-in/sessions.ts';
import { userGroupUseCases } from './accounts/user-groups.ts';
import type { GroupParts } from './accounts/user-groups.ts';
import { users } from './accounts/users.ts';
import { vouching } from './accounts/vouching.ts';

export type { SignedIn } from './sign-in/sessions.ts';

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
