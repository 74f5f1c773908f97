// Writes the changed members of an account, for its owner and for administrators.
import { auditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { apiNames } from '#core/kernel/storage/changed';
import type { Account, AccountPatch } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import { userEvent } from '../model/user-event.ts';
import type { IdentityParts } from '../model/parts.ts';

/**
 * Also writes the audit entry and emits the event. Must run inside a unit of work that has locked the account.
 * @param changes the members that differ.
 * @param derived members that follow from the changes, and are not reported.
 * @returns the account after the change.
 */
export async function changeAccount(
  { accounts, audit, events }: Pick<IdentityParts, 'accounts' | 'audit' | 'events'>,
  call: Call<User>,
  account: Account,
  changes: AccountPatch,
  derived: AccountPatch | false,
): Promise<Account> {
  const { id: userId, username } = account;
  const fields = apiNames(changes);
  const patch = { ...changes, ...derived, lastActiveAt: call.now };
  await accounts.update(userId, patch);
  const { isAdmin, status } = changes;
  const details = { fields, ...(isAdmin !== undefined && { is_admin: isAdmin }), ...(status && { status }) };
  await audit.append(auditEntry(call, 'user.updated', userAggregate(userId), details));
  await events.emit(userEvent('user.updated', { userId, username, fields }, call.caller.id));
  return { ...account, ...patch };
}
