// Creates accounts for registration, for administrators and for the first start.
import type { AuditEntry, AuditLog } from '#core/kernel/services/audit';
import type { PasswordHasher } from '#core/kernel/access/credentials';
import { Conflict, onDuplicate } from '#core/kernel/errors';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { checkProfile } from '../model/account.ts';
import type { Account } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import { checkPassword } from '../model/password.ts';
import type { AccountStore } from '../model/ports.ts';
import { checkUsername } from '../model/username.ts';

export interface NewAccount extends Pick<
  Account,
  'username' | 'email' | 'displayName' | 'isAdmin' | 'approval' | 'emailVerified'
> {
  readonly password: string;
}

export interface NewAccountParts {
  readonly accounts: AccountStore;
  readonly passwordHasher: PasswordHasher;
  readonly audit: AuditLog;
  readonly events: Events;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * @param again called after the password hash, which may have waited for a slot. Throws if the account may no longer be
 * created, and returns members that have changed.
 */
export type CreateAccount = (
  wanted: NewAccount,
  by: (id: string) => AuditEntry,
  again?: () => Promise<Partial<Pick<NewAccount, 'approval'>>>,
) => Promise<Account>;

/** @throws {ValidationFailed | Conflict} if a value is invalid, or the username or address is taken. */
export function createAccount({
  accounts,
  passwordHasher,
  audit,
  events,
  unitOfWork,
  clock,
  ids,
}: NewAccountParts): CreateAccount {
  return async (wanted, by, again) => {
    checkUsername(wanted.username);
    checkProfile(wanted);
    checkPassword(wanted.password);
    // Checked before the expensive hash. The store checks again when it writes.
    if ((await accounts.byUsername(wanted.username)) !== undefined) throw usernameTaken();
    if ((await accounts.byEmail(wanted.email)) !== undefined) throw emailTaken();
    const { password, ...chosen } = wanted;
    const id = ids.uuid();
    const entry = by(id);
    const passwordHash = await passwordHasher.hash(password, entry.ip);
    const account: Account = {
      ...chosen,
      ...(await again?.()),
      id,
      bio: '',
      avatarUrl: '',
      status: 'active',
      createdAt: clock.now(),
      lastActiveAt: undefined,
    };
    await uniquely(() =>
      unitOfWork.run(async () => {
        await accounts.insert(account, passwordHash);
        await audit.append(entry);
        await events.emit({
          type: 'user.created',
          aggregate: userAggregate(account.id),
          payload: { userId: account.id, username: account.username },
          ...(entry.actorId !== undefined && { actorId: entry.actorId }),
        });
      }),
    );
    return account;
  };
}

const usernameTaken = (cause?: unknown): Conflict =>
  new Conflict('The username is taken', {
    detail: '"username" belongs to another account; names are compared without regard to case',
    cause,
  });
const emailTaken = (cause?: unknown): Conflict =>
  new Conflict('The e-mail address is taken', { detail: '"email" belongs to another account', cause });

/** Converts a violated unique constraint of accounts into an error that names the field. */
export const uniquely = <T>(write: () => Promise<T>): Promise<T> =>
  onDuplicate(write, (duplicate) => {
    if (duplicate.constraint === 'identity_user_username_key') return usernameTaken(duplicate);
    if (duplicate.constraint === 'identity_user_email_key') return emailTaken(duplicate);
    return duplicate;
  });
