// Use cases of self-service accounts: registration, the user's own profile and password, and public profiles.
import type { AccessDecision } from '#core/kernel/access/access';
import { auditEntry } from '#core/kernel/services/audit';
import type { AuditLog } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import type { PasswordHasher } from '#core/kernel/access/credentials';
import { Forbidden, NotFound, Unauthorized } from '#core/kernel/errors';
import type { RateCounter } from '#core/kernel/rate';
import type { Settings } from '#core/kernel/services/settings';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { apiName, changed } from './account-changes.ts';
import { checkProfile, emailKey } from '../model/account.ts';
import type { Account, AccountPatch, Profile } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import { uniquely } from './new-account.ts';
import type { CreateAccount } from './new-account.ts';
import { checkPassword } from '../model/password.ts';
import type { AccountStore, SecuredAccount, SessionStore } from '../model/ports.ts';
import { throttle } from '../sign-in/sign-in-throttle.ts';
import { isUsername } from '../model/username.ts';

export interface ProfileParts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly create: CreateAccount;
  readonly passwordHasher: PasswordHasher;
  /** Rechecks access after a password hash, which may have waited for a slot. */
  readonly access: Pick<AccessDecision, 'renew'>;
  readonly rateCounter: RateCounter;
  readonly settings: Settings;
  readonly audit: AuditLog;
  readonly events: Events;
  readonly unitOfWork: UnitOfWork;
}

export interface Registration {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly displayName: string;
}

export interface Profiles {
  /** @throws {Forbidden} with the code `signup_disabled`. @throws {Conflict} if the username or address is taken. */
  register(call: Call, command: Registration): Promise<Account>;
  own(call: Call<User>): Promise<Account>;
  update(call: Call<User>, profile: Profile): Promise<Account>;
  /** Ends all other sessions of the user. @throws {Forbidden} with the code `wrong_password`. @throws {RateLimited} */
  changePassword(call: Call<User>, command: { readonly current: string; readonly next: string }): Promise<void>;
  /** @throws {NotFound} also for an account whose approval is pending or was rejected. */
  public(call: Call, command: { readonly username: string }): Promise<Account>;
}

const gone = (): Unauthorized => new Unauthorized('The credential is not valid');

export function profiles({
  accounts,
  sessions,
  create,
  passwordHasher,
  access,
  rateCounter,
  settings,
  audit,
  events,
  unitOfWork,
}: ProfileParts): Profiles {
  const guard = throttle(rateCounter);
  const held = async (id: string): Promise<SecuredAccount> => {
    const found = await accounts.lock(id);
    if (found?.account.status !== 'active') throw gone();
    return found;
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
    async register(call, command) {
      return create(
        { ...command, isAdmin: false, ...(await admitted()), emailVerified: false },
        (id) => ({
          ...auditEntry(call, 'user.registered', `user:${id}`, { username: command.username }),
          actorId: id,
          actorUsername: command.username,
        }),
        admitted,
      );
    },

    async own({ caller }) {
      const account = await accounts.byId(caller.id);
      if (account === undefined) throw gone();
      return account;
    },

    async update(call, profile) {
      checkProfile(profile);
      return uniquely(() =>
        unitOfWork.run(async () => {
          const { account } = await held(call.caller.id);
          const patch = changed(account, profile);
          const fields = Object.keys(patch);
          if (fields.length === 0) return account;
          // A new address has not been verified yet.
          const full: AccountPatch = {
            ...patch,
            ...(patch.email !== undefined &&
              emailKey(patch.email) !== emailKey(account.email) && { emailVerified: false }),
            lastActiveAt: call.now,
          };
          await accounts.update(account.id, full);
          await audit.append(auditEntry(call, 'user.updated', `user:${account.id}`, { fields: fields.map(apiName) }));
          await events.emit({
            type: 'user.updated',
            aggregate: userAggregate(account.id),
            actorId: account.id,
            payload: { userId: account.id, username: account.username, fields: fields.map(apiName) },
          });
          return { ...account, ...full };
        }),
      );
    },

    async changePassword(call, { current, next }) {
      checkPassword(next, 'new_password');
      const { id, username, credential } = call.caller;
      const known = await accounts.secured(username);
      const right = await guard.attempt(
        `password:${id}`,
        call.now,
        async () => (await passwordHasher.verify(current, known?.passwordHash, call.ip)) || undefined,
      );
      const wrong = (): Forbidden =>
        new Forbidden('The current password is wrong', {
          code: 'wrong_password',
          detail: '"current_password" is not the password of this account',
        });
      if (right === undefined || known?.account.id !== id) {
        await audit.append(auditEntry(call, 'user.password_change_refused', `user:${id}`));
        throw wrong();
      }
      const passwordHash = await passwordHasher.hash(next, call.ip);
      await access.renew(call);
      await unitOfWork.run(async () => {
        // The password was changed in the meantime.
        if ((await held(id)).passwordHash !== known.passwordHash) throw wrong();
        await accounts.update(id, { passwordHash, lastActiveAt: call.now });
        const ended = await sessions.endAll(id, credential.id);
        await audit.append(auditEntry(call, 'user.password_changed', `user:${id}`, { sessions_ended: ended }));
      });
    },

    async public(_call, { username }) {
      const account = isUsername(username) ? await accounts.byUsername(username) : undefined;
      if (account === undefined || account.approval === 'pending' || account.approval === 'rejected')
        throw new NotFound('There is no such user');
      return account;
    },
  } satisfies Profiles;
}
