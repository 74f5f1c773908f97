// The first administrator of an instance, and the way back in for an operator who lost a password.
import type { AuditEntry, AuditLog } from '#core/kernel/audit';
import type { PasswordHasher } from '#core/kernel/credentials';
import { NotFound } from '#core/kernel/errors';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events, Locks, UnitOfWork } from '#core/kernel/unit-of-work';
import { credentialEnder } from './administration.ts';
import type { CreateAccount } from './new-account.ts';
import type { AccountRecovery } from './offers.ts';
import { generatePassword } from './password.ts';
import type { AccountStore, SessionStore, TokenStore } from './ports.ts';
import { isUsername } from './username.ts';

/** The system's own entry: no caller, no address. */
const bySystem = (clock: Clock, action: string, id: string, details: AuditEntry['details']): AuditEntry => ({
  actorId: undefined,
  actorUsername: 'system',
  action,
  resource: `user:${id}`,
  ip: '',
  userAgent: '',
  details,
  at: clock.now(),
});

export interface FoundingParts {
  readonly accounts: AccountStore;
  readonly create: CreateAccount;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Creates the super-admin of an instance that has no account yet; of several processes that start together one does.
 * @returns the account's name, and its password where it was generated; undefined where there was an account.
 */
export function foundInstance({ accounts, create, locks, clock, ids }: FoundingParts) {
  return async (wanted: {
    readonly username: string;
    readonly password: string | undefined;
  }): Promise<{ readonly username: string; readonly password: string | undefined } | undefined> => {
    if (await accounts.any()) return undefined;
    return locks.exclusive('identity.first-administrator', async () => {
      if (await accounts.any()) return undefined;
      const { username } = wanted;
      const generated = wanted.password === undefined ? generatePassword(ids) : undefined;
      await create(
        {
          username,
          email: `${username}@localhost`,
          displayName: '',
          isAdmin: true,
          approval: undefined,
          emailVerified: true,
          password: wanted.password ?? generated ?? '',
        },
        (id) => bySystem(clock, 'user.created', id, { username, is_admin: true, first_administrator: true }),
      );
      return { username, password: generated };
    });
  };
}

export interface RecoveryParts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly passwordHasher: PasswordHasher;
  readonly audit: AuditLog;
  readonly events: Events;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
}

export function accountRecovery(parts: RecoveryParts): AccountRecovery {
  const { accounts, passwordHasher, audit, unitOfWork, clock, ids } = parts;
  const endCredentials = credentialEnder(parts);
  return {
    async resetPassword(username) {
      const account = isUsername(username) ? await accounts.byUsername(username) : undefined;
      if (account === undefined) throw new NotFound(`There is no account "${username}"`);
      const password = generatePassword(ids);
      const passwordHash = await passwordHasher.hash(password);
      await unitOfWork.run(async () => {
        if ((await accounts.lock(account.id)) === undefined) throw new NotFound(`There is no account "${username}"`);
        await accounts.update(account.id, { passwordHash, lastActiveAt: clock.now() });
        await audit.append(bySystem(clock, 'user.password_reset', account.id, { username: account.username }));
        await endCredentials(account.id, (ended) => bySystem(clock, 'user.tokens_revoked', account.id, ended));
      });
      return { password };
    },
  } satisfies AccountRecovery;
}
