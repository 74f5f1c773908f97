// Creates accounts for registration, for administrators and for the first start.
import type { AuditEntry } from '#core/kernel/services/audit';
import { Conflict, onDuplicate } from '#core/kernel/errors';
import { checkProfile, type Account } from '../model/account.ts';
import { userEvent } from '../model/user-event.ts';
import type { IdentityParts } from '../model/parts.ts';
import { checkPassword } from '../model/password.ts';
import { checkUsername } from '../model/username.ts';

export interface NewAccount extends Pick<
  Account,
  'username' | 'email' | 'displayName' | 'isAdmin' | 'approval' | 'emailVerified'
> {
  readonly password: string;
  /** Whether the first start of the instance creates it. */
  readonly isFirst?: boolean;
}

/**
 * @param by builds the audit entry.
 * @param again called after the password hash, which may have waited for a slot. Throws if the account may no longer be
 * created, and returns members that have changed.
 * @throws {ValidationFailed | Conflict} if a value is invalid, or the username or address is taken.
 */
export async function createAccount(
  parts: Pick<IdentityParts, 'accounts' | 'passwordHasher' | 'audit' | 'events' | 'unitOfWork' | 'clock' | 'ids'>,
  { password, isFirst = false, ...chosen }: NewAccount,
  by: (id: string) => AuditEntry,
  again?: () => Promise<Partial<Pick<NewAccount, 'approval'>>>,
): Promise<Account> {
  const { accounts, passwordHasher, audit, events, unitOfWork, clock, ids } = parts;
  checkUsername(chosen.username);
  checkProfile(chosen);
  checkPassword(password);
  // Checked before the expensive hash. The store checks again when it writes.
  if ((await accounts.byUsername(chosen.username)) !== undefined) throw usernameTaken();
  if ((await accounts.byEmail(chosen.email)) !== undefined) throw emailTaken();
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
      await accounts.insert(account, passwordHash, isFirst ? 'first administrator' : undefined);
      await audit.append(entry);
      await events.emit(userEvent('user.created', { userId: id, username: account.username }, entry.actorId));
    }),
  );
  return account;
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
