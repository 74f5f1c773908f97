// Use cases of self-service accounts: registration, the user's own profile and password, and public profiles.
import { auditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { Conflict, Forbidden, NotFound, Unauthorized, ValidationFailed } from '#core/kernel/errors';
import { changed, given, type Asked } from '#core/kernel/storage/changed';
import { changeAccount } from './change-account.ts';
import { checkProfile, emailKey, hasPublicProfile, type Account, type Profile } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import { createAccount, uniquely, type NewAccount } from './new-account.ts';
import type { IdentityParts } from '../model/parts.ts';
import { checkPassword, noPassword } from '../model/password.ts';
import type { SecuredAccount } from '../model/ports.ts';
import { endCredentials } from './revocation.ts';
import type { SignInBlocks } from '../sign-in/sign-in-blocks.ts';
import { throttle } from '../sign-in/sign-in-throttle.ts';
import { secondsAfter } from '../model/session.ts';
import { isUsername } from '../model/username.ts';

export type Registration = Pick<NewAccount, 'username' | 'email' | 'password' | 'displayName'>;

const gone = (): Unauthorized => new Unauthorized('The credential is not valid');

/** Seconds after a sign-in in which the first password can be set. */
const firstPasswordSeconds = 600;

export function profileUseCases(parts: IdentityParts, { blockOf }: SignInBlocks) {
  const { accounts, sessions, passwordHasher, access, rateCounter, settings, audit, unitOfWork } = parts;
  const guard = throttle(rateCounter);

  /** An instance never becomes unused again. */
  let used = false;

  const held = async (id: string): Promise<SecuredAccount> => {
    const found = await accounts.lock(id);
    if (found?.account.status !== 'active') throw gone();
    return found;
  };

  const wrongPassword = (): Forbidden =>
    new Forbidden('The current password is wrong', {
      code: 'wrong_password',
      detail: '"current_password" is not the password of this account',
    });

  const checkCurrent = async (call: Call<User>, known: SecuredAccount, current: string | undefined): Promise<void> => {
    if (current === undefined)
      throw new ValidationFailed('The current password is missing', { detail: '"current_password" is required' });
    const { id } = known.account;
    const right = await guard.attempt(
      `password:${id}`,
      call.now,
      async () => (await passwordHasher.verify(current, known.passwordHash, call.ip)) || undefined,
    );
    if (right !== undefined) return;
    await audit.append(auditEntry(call, 'user.password_change_refused', userAggregate(id)));
    throw wrongPassword();
  };

  /** A session that was left open must not be enough to set a password. */
  const checkFirstPassword = async ({ caller, now }: Call<User>, current: string | undefined): Promise<void> => {
    const started = await sessions.startedAt(caller.credential.id, now);
    const isRecent = started !== undefined && secondsAfter(started, firstPasswordSeconds) >= now;
    if (current === undefined && isRecent) return;
    throw new Conflict('The account has no password', {
      code: 'no_password',
      detail: 'Send "new_password" alone, within 10 minutes of a sign-in, to set the first one',
    });
  };

  /** Checks the current settings for registrations. */
  const admitted = async (): Promise<Pick<Account, 'approval'>> => {
    if (!(await settings.get('signup.enabled')))
      throw new Forbidden('Registration is closed on this instance', {
        code: 'signup_disabled',
        detail: 'Ask an administrator for an account',
      });
    return { approval: (await settings.get('signup.require_approval')) ? 'pending' : undefined };
  };

  return {
    /** Whether anyone may register. */
    registrationOpen: (): Promise<boolean> => settings.get('signup.enabled'),

    /** @throws {Forbidden} with the code `signup_disabled`. @throws {Conflict} if the username or address is taken. */
    async register(call: Call, command: Registration): Promise<Account> {
      const { username } = command;
      return createAccount(
        parts,
        { ...command, isAdmin: false, ...(await admitted()), emailVerified: false },
        (id) => ({
          ...auditEntry(call, 'user.registered', userAggregate(id), { username }),
          actorId: id,
          actorUsername: username,
        }),
        admitted,
      );
    },

    /** Whether no user has signed in to this instance yet. */
    async unused(): Promise<boolean> {
      used ||= (await accounts.list({ q: undefined, limit: 2, offset: 0 })).accounts.some(
        ({ lastActiveAt }, index) => index > 0 || lastActiveAt !== undefined,
      );
      return !used;
    },

    async own({ caller }: Call<User>): Promise<Account> {
      const account = await accounts.byId(caller.id);
      if (account === undefined) throw gone();
      return account;
    },

    /**
     * With a new address the user is signed out, if addresses have to be verified.
     * @throws {ValidationFailed | Conflict}
     */
    async update(call: Call<User>, profile: Asked<Profile>): Promise<Account> {
      checkProfile(given<Profile>(profile));
      return uniquely(() =>
        unitOfWork.run(async () => {
          const { account } = await held(call.caller.id);
          const changes = changed(account, profile);
          if (Object.keys(changes).length === 0) return account;
          // A new address has not been verified yet.
          const isNew = emailKey(changes.email ?? account.email) !== emailKey(account.email);
          const after = await changeAccount(parts, call, account, changes, isNew && { emailVerified: false });
          // An account that has to verify its address first keeps no credential from before.
          if ((await blockOf(after)) !== undefined) await endCredentials(parts, call, after.id);
          return after;
        }),
      );
    },

    /**
     * Ends all other sessions of the user.
     * @param current undefined to set the first password of an account that has none, soon after a sign-in.
     * @throws {Forbidden} with the code `wrong_password`. @throws {RateLimited}
     * @throws {Conflict} `no_password`, for an account without a password, if it cannot be set now.
     */
    async changePassword(
      call: Call<User>,
      { current, next }: { readonly current: string | undefined; readonly next: string },
    ): Promise<void> {
      checkPassword(next, 'new_password');
      const { id, username, credential } = call.caller;
      const known = await accounts.secured(username);
      if (known?.account.id !== id) throw gone();
      const before = known.passwordHash;
      if (before === noPassword) await checkFirstPassword(call, current);
      else await checkCurrent(call, known, current);
      const passwordHash = await passwordHasher.hash(next, call.ip);
      await access.renew(call);
      await unitOfWork.run(async () => {
        // The password was changed in the meantime.
        if ((await held(id)).passwordHash !== before) throw wrongPassword();
        await accounts.update(id, { passwordHash, lastActiveAt: call.now });
        const ended = await sessions.endAll(id, credential.id);
        const details = { sessions_ended: ended, ...(before === noPassword && { first: true }) };
        await audit.append(auditEntry(call, 'user.password_changed', userAggregate(id), details));
      });
    },

    /** @throws {NotFound} also for an account whose approval is pending or was rejected. */
    async public(_call: Call, { username }: { readonly username: string }): Promise<Account> {
      const account = isUsername(username) ? await accounts.byUsername(username) : undefined;
      if (account === undefined || !hasPublicProfile(account)) throw new NotFound('There is no such user');
      return account;
    },
  };
}
