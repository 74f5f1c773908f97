// Use cases of user administration (operations whose id starts with `adminUser`).
import { auditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { Conflict, found, StillReferenced } from '#core/kernel/errors';
import { changed, given, type Asked } from '#core/kernel/storage/changed';
import { changeAccount } from './change-account.ts';
import { checkMayGive, delegation, noUser } from './delegation.ts';
import { checkPerson, checkProfile, type Account } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import { userEvent } from '../model/user-event.ts';
import { createAccount, uniquely } from './new-account.ts';
import type { IdentityParts } from '../model/parts.ts';
import { checkPassword } from '../model/password.ts';
import type { AccountQuery } from '../model/ports.ts';
import { endCredentials, revokeCredentials, revokeIssued, revokeOwned } from './revocation.ts';
import type { SignInBlocks } from '../sign-in/sign-in-blocks.ts';

export interface NewUser extends Pick<Account, 'username' | 'email' | 'displayName' | 'isAdmin'> {
  readonly password: string;
}

/** Identifies one account. */
export type UserId = Pick<Account, 'id'>;
export type UserChange = UserId &
  Asked<Pick<Account, 'email' | 'displayName' | 'isAdmin' | 'status'>> & {
    /** The address that the caller looked at. If the account has another one by now, the change is refused. */
    readonly emailSeen?: string;
  };

const cannotDelete = (reason: string, cause?: unknown): Conflict =>
  new Conflict('The user cannot be deleted', { detail: reason, body: { reason }, cause });

export function administrationUseCases(parts: IdentityParts, { blockOf }: SignInBlocks) {
  const { accounts, sessions, references, passwordHasher, access, audit, events, unitOfWork } = parts;

  const { target, refusal, checkPasswordOf, checkAddressOf } = delegation(parts);

  /** Must be called before the account is locked, so that two such calls wait for each other without a deadlock. */
  const administrators = async (): Promise<ReadonlySet<string>> => new Set(await accounts.lockAdministrators());
  const isLast = (admins: ReadonlySet<string>, id: string): boolean => admins.has(id) && admins.size === 1;

  /** Locks an account that is to be deleted. @throws {Conflict} for the caller's own, and the last administrator's. */
  const deletable = async (call: Call<User>, id: string): Promise<Account> => {
    const admins = await administrators();
    const { account } = await target(call, id);
    if (id === call.caller.id) throw cannotDelete('Administrators cannot delete their own account; another one has to');
    if (isLast(admins, id)) throw cannotDelete('It is the last instance administrator');
    return account;
  };

  const checkUnreferenced = async (id: string): Promise<void> => {
    const held: string[] = [];
    for (const reference of references()) {
      const count = (await reference.counts([id])).get(id) ?? 0;
      if (count > 0) held.push(`${count} ${reference.what}`);
    }
    if (held.length > 0) throw cannotDelete(`Other records still refer to the user: ${held.join(', ')}`);
  };

  return {
    list: (_call: Call<User>, query: AccountQuery) => accounts.list(query),

    /** @throws {ValidationFailed | Forbidden | Conflict} */
    async create(call: Call<User>, command: NewUser): Promise<Account> {
      const { username, isAdmin } = command;
      if (isAdmin) checkMayGive(call, true);
      return createAccount(
        parts,
        { ...command, approval: undefined, emailVerified: true },
        (id) => auditEntry(call, 'user.created', userAggregate(id), { username, is_admin: isAdmin }),
        async () => {
          const renewed = await access.renew(call);
          if (isAdmin) checkMayGive(renewed, true);
          return {};
        },
      );
    },

    /** @throws {NotFound} if the user does not exist. */
    fetch: async (_call: Call<User>, { id }: UserId): Promise<Account> => found(await accounts.byId(id), noUser),

    /** Why the caller may not change the account; undefined if they may. */
    refusal,

    /** Suspending a user also ends all sessions and tokens. @throws {NotFound | Forbidden | Conflict} */
    async update(call: Call<User>, { id, emailSeen, ...wanted }: UserChange): Promise<Account> {
      checkProfile(given<Account>(wanted));
      return uniquely(() =>
        unitOfWork.run(async () => {
          const leaves = wanted.isAdmin === false || wanted.status === 'suspended';
          const admins = leaves ? await administrators() : new Set<string>();
          const { account } = await target(call, id);
          if (emailSeen !== undefined && account.email !== emailSeen)
            throw new Conflict('The user has another e-mail address by now', { detail: 'Look at it before you go on' });
          // An address that an administrator sets counts as verified, also the one that the account has.
          const verified = account.emailVerified ? undefined : wanted.email;
          const changes = { ...changed(account, wanted), ...(verified !== undefined && { email: verified }) };
          const { email, isAdmin, status } = changes;
          if (Object.keys(changes).length === 0) return account;
          if (isAdmin !== undefined) checkMayGive(call, isAdmin);
          if (isAdmin === true || email !== undefined)
            checkPerson(account, 'A bot has no e-mail address, and cannot be an instance administrator');
          if (email !== undefined) await checkAddressOf(call, account);
          if (isLast(admins, id) && (isAdmin === false || status === 'suspended'))
            throw new Conflict('The last instance administrator cannot be demoted or suspended', {
              detail: 'Make another one first',
            });
          const after = await changeAccount(
            parts,
            call,
            account,
            changes,
            email !== undefined && { emailVerified: true },
          );
          if (status !== undefined) {
            const type = status === 'suspended' ? 'user.suspended' : 'user.reactivated';
            await events.emit(userEvent(type, { userId: id, username: account.username }, call.caller.id));
          }
          if (status === 'suspended') {
            const owned = await revokeOwned(parts, id);
            await revokeCredentials(parts, id, (ended) =>
              auditEntry(call, 'user.suspended', userAggregate(id), { ...ended, ...owned }),
            );
          }
          // Credentials from before the account had to be verified or approved stay invalid afterwards.
          else if (
            status === undefined &&
            (await blockOf(account)) !== undefined &&
            (await blockOf(after)) === undefined
          )
            await endCredentials(parts, call, id);
          return after;
        }),
      );
    },

    /**
     * Ends all sessions and tokens first, even if the deletion is then rejected.
     * @throws {NotFound | Forbidden | Conflict} the conflict has a `reason`.
     */
    async delete(call: Call<User>, { id }: UserId): Promise<void> {
      // In a separate unit of work, so that tokens stay revoked if the deletion is rejected.
      await unitOfWork.run(async () => {
        await deletable(call, id);
        await endCredentials(parts, call, id);
      });
      await checkUnreferenced(id);
      try {
        await unitOfWork.run(async () => {
          const { username } = await deletable(call, id);
          await accounts.delete(id);
          await audit.append(auditEntry(call, 'user.deleted', userAggregate(id), { username }));
          await events.emit(userEvent('user.deleted', { userId: id, username }, call.caller.id));
        });
      } catch (error) {
        if (error instanceof StillReferenced)
          throw cannotDelete(`Records in "${error.table}" still refer to the user`, error);
        throw error;
      }
    },

    /**
     * Also ends all sessions and revokes the credentials issued to applications.
     * @throws {NotFound | Forbidden} also for the caller's own account.
     */
    async setPassword(call: Call<User>, { id, password }: UserId & { readonly password: string }): Promise<void> {
      checkPassword(password);
      await checkPasswordOf(call, found(await accounts.byId(id), noUser));
      const passwordHash = await passwordHasher.hash(password, call.ip);
      const renewed = await access.renew(call);
      await unitOfWork.run(async () => {
        const { account } = await target(renewed, id);
        await checkPasswordOf(renewed, account);
        checkPerson(account, 'A bot has no password');
        await accounts.update(id, { passwordHash, lastActiveAt: call.now });
        const ended = await sessions.endAll(id);
        const details = { sessions_ended: ended, ...(await revokeIssued(parts, id)) };
        await audit.append(auditEntry(call, 'user.password_set', userAggregate(id), details));
      });
    },

    revokeTokens: (call: Call<User>, { id }: UserId): Promise<void> =>
      unitOfWork.run(async () => {
        await target(call, id);
        await endCredentials(parts, call, id);
      }),
  };
}
