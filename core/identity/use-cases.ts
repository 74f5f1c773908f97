// Builds the use cases of identity from their parts, for its own plugin.
import { whereKept } from '#core/kernel/services/audit';
import { inBatches } from '#core/kernel/storage/batches';
import type { CredentialReader } from '#core/kernel/access/credentials';
import type { MeteredTargets } from '#core/kernel/rate';
import { accessTokenUseCases } from './sign-in/access-tokens.ts';
import { externalAccounts } from './external/accounts.ts';
import { directoryTrials } from './external/directory-trials.ts';
import { externalIdentityUseCases } from './external/identities.ts';
import { redirectUseCases } from './external/redirects.ts';
import { accountRecovery } from './accounts/account-recovery.ts';
import { administrationUseCases } from './accounts/administration.ts';
import { botAccounts } from './accounts/bots.ts';
import { firstAdministrator, type Administrator } from './accounts/first-administrator.ts';
import type { IdentityParts } from './model/parts.ts';
import { mentioned } from './accounts/mentions.ts';
import { passwordSignIn } from './sign-in/password-sign-in.ts';
import { profileUseCases } from './accounts/profiles.ts';
import { secondsAfter } from './model/session.ts';
import { sessionUseCases } from './sign-in/sessions.ts';
import { sessionOpener } from './sign-in/session-opener.ts';
import { signInBlocks } from './sign-in/sign-in-blocks.ts';
import { userGroupUseCases } from './accounts/user-groups.ts';
import { users } from './accounts/users.ts';
import { vouching } from './accounts/vouching.ts';

export { ofNormalForm } from './model/password.ts';
export { signInRefusal } from './sign-in/blocked.ts';
export { flowSeconds } from './external/browser-flows.ts';
export type { AdministeredProvider, Arrival } from './external/redirects.ts';
export type { TestReport } from './external/test-report.ts';
export type { ListedSession } from './sign-in/sessions.ts';
export type { SignedIn } from './sign-in/session-opener.ts';
export type { DescribedScope } from '#core/kernel/access/scopes';

export function identityUseCases(parts: IdentityParts) {
  // Without an audit log, an instance can still be started and signed in to.
  const auditOptional = { ...parts, audit: whereKept(parts.audit) };
  const blocks = signInBlocks(parts);
  const externals = externalAccounts(auditOptional, blocks);
  const opener = sessionOpener(auditOptional, blocks);
  const identities = externalIdentityUseCases(parts, externals, blocks);
  const passwords = passwordSignIn(auditOptional, blocks, externals);
  const session = sessionUseCases(auditOptional, passwords, blocks, opener);
  const tokens = accessTokenUseCases(parts, blocks);
  /** Reads every token whose prefix no other reader claims. */
  const credentialReader: CredentialReader = {
    prefix: '',
    read: (text, now) => (text.startsWith(tokens.reader.prefix) ? tokens : session).reader.read(text, now),
  };
  return {
    passwordSignIn: passwords.basic,
    accountStanding: passwords.standing,
    sessions: session,
    identities,
    redirects: redirectUseCases(auditOptional, externals, opener, identities.link),
    trials: directoryTrials(parts, externals),
    tokens,
    profiles: profileUseCases(parts, blocks),
    administration: administrationUseCases(parts, blocks),
    users: users(parts),
    mentioned: mentioned(parts),
    groups: userGroupUseCases(parts),
    meteredTargets: { tokens: (ids) => parts.tokens.known(ids) } satisfies MeteredTargets,
    vouching: vouching(parts, blocks),
    recovery: accountRecovery(parts),
    bots: botAccounts(parts),
    firstAdministrator: (wanted: Administrator) => firstAdministrator(auditOptional, wanted),
    credentialReader,
    async pruneSessions(): Promise<void> {
      const { sessions: store, unitOfWork, lifetimes } = parts;
      const now = parts.clock.now();
      // Used refresh tokens are kept for their full lifetime, so that reuse is detected.
      const before = secondsAfter(now, -lifetimes.refreshSeconds);
      await inBatches(unitOfWork, (most) => store.pruneRefreshTokens(before, most));
      await inBatches(unitOfWork, (most) => store.prune(now, most));
      await inBatches(unitOfWork, (most) => parts.identities.prune(now, most));
    },
  };
}
export type IdentityUseCases = ReturnType<typeof identityUseCases>;
