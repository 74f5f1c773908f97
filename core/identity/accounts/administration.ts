// Use cases of user administration (operations whose id starts with `adminUser`).
import type { AccessDecision } from '#core/kernel/access/access';
import { auditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import type { PasswordHasher } from '#core/kernel/access/credentials';
import { Conflict, Forbidden, NotFound, StillReferenced } from '#core/kernel/errors';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { apiName, changed } from './account-changes.ts';
import { checkProfile } from '../model/account.ts';
import type { Account, AccountPatch } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import { uniquely } from './new-account.ts';
import type { CreateAccount } from './new-account.ts';
import type { UserReferences } from '../model/offers.ts';
import { checkPassword } from '../model/password.ts';
import type { AccountQuery, AccountStore, SecuredAccount } from '../model/ports.ts';
import { revokeCredentials, revokeIssued } from './revocation.ts';
import type { RevocationParts } from './revocation.ts';

export interface AdministrationParts extends RevocationParts {
  readonly accounts: AccountStore;
  readonly create: CreateAccount;
  /** Called on each deletion, because areas may be added later. */
  readonly references: () => readonly UserReferences[];
  readonly passwordHasher: PasswordHasher;
  /** Rechecks access after a password hash, which may have waited for a slot. */
  readonly access: Pick<AccessDecision, 'renew'>;
  readonly unitOfWork: UnitOfWork;
}

export interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly displayName: string;
  readonly isAdmin: boolean;
}

/** Identifies one account. */
export interface UserId {
  readonly id: string;
}

export type UserChange = UserId & Partial<Pick<Account, 'email' | 'displayName' | 'isAdmin' | 'status'>>;

export interface Administration {
  list(
    call: Call<User>,
    query: AccountQuery,
  ): Promise<{ readonly accounts: readonly Account[]; readonly total: number }>;
  create(call: Call<User>, command: NewUser): Promise<Account>;
  /** @throws {NotFound} if the user does not exist. */
  fetch(call: Call<User>, command: UserId): Promise<Account>;
  /** Suspending a user also ends all sessions and tokens. @throws {NotFound | Forbidden | Conflict} */
  update(call: Call<User>, command: UserChange): Promise<Account>;
  /**
   * Ends all sessions and tokens first, even if the deletion is then rejected.
   * @throws {NotFound | Forbidden | Conflict} the conflict has a `reason`.
   */
  delete(call: Call<User>, command: UserId): Promise<void>;
  /** Also ends all sessions and revokes the credentials issued to applications. */
  setPassword(call: Call<User>, command: UserId & { readonly password: string }): Promise<void>;
  revokeTokens(call: Call<User>, command: UserId): Promise<void>;
}

const unknown = (): NotFound => new NotFound('There is no such user');
const onlyAdministrators = (): Forbidden =>
  new Forbidden('Only an instance administrator may make another', {
    detail: '"is_admin" needs the super-admin flag',
  });
const cannotDelete = (reason: string, cause?: unknown): Conflict =>
  new Conflict('The user cannot be deleted', { detail: reason, body: { reason }, cause });

export function administration(parts: AdministrationParts): Administration {
  const { accounts, sessions, create, references, passwordHasher, access, audit, events, unitOfWork } = parts;
  const revoke = revokeCredentials(parts);

  /** Locks the account. Only instance administrators may act on an instance administrator. */
  const target = async (call: Call<User>, id: string): Promise<SecuredAccount> => {
    const held = await accounts.lock(id);
    if (held === undefined) throw unknown();
    if (held.account.isAdmin && !call.caller.isAdmin)
      throw new Forbidden('Only an instance administrator may change an instance administrator');
    return held;
  };

  /** Must be called before the account is locked, so that two such calls wait for each other without a deadlock. */
  const administrators = async (leaves: boolean): Promise<ReadonlySet<string>> =>
    new Set(leaves ? await accounts.lockAdministrators() : []);
  const isLast = (admins: ReadonlySet<string>, id: string): boolean => admins.has(id) && admins.size === 1;

  const revokeAll = (
    call: Call<User>,
    id: string,
    checks: (account: Account, admins: ReadonlySet<string>) => void,
    deleting: boolean,
  ): Promise<void> =>
    unitOfWork.run(async () => {
      const admins = await administrators(deleting);
      checks((await target(call, id)).account, admins);
      await revoke(id, (details) => auditEntry(call, 'user.tokens_revoked', `user:${id}`, details));
    });

  const existing = async (id: string): Promise<Account> => {
    const account = await accounts.byId(id);
    if (account === undefined) throw unknown();
    return account;
  };

  const checkDeletable = async (id: string): Promise<void> => {
    const held: string[] = [];
    for (const reference of references()) {
      const count = (await reference.counts([id])).get(id) ?? 0;
      if (count > 0) held.push(`${count} ${reference.what}`);
    }
    if (held.length > 0) throw cannotDelete(`Other records still refer to the user: ${held.join(', ')}`);
  };

  return {
    list: (_call, query) => accounts.list(query),

    async create(call, command) {
      const check = ({ caller }: Call<User>): void => {
        if (command.isAdmin && !caller.isAdmin) throw onlyAdministrators();
      };
      check(call);
      return create(
        { ...command, approval: undefined, emailVerified: true },
        (id) =>
          auditEntry(call, 'user.created', `user:${id}`, { username: command.username, is_admin: command.isAdmin }),
        async () => {
          check(await access.renew(call));
          return {};
        },
      );
    },

    fetch: (_call, { id }) => existing(id),

    async update(call, { id, ...wanted }) {
      checkProfile(wanted);
      return uniquely(() =>
        unitOfWork.run(async () => {
          const admins = await administrators(wanted.isAdmin === false || wanted.status === 'suspended');
          const { account } = await target(call, id);
          const patch = changed(account, wanted);
          const fields = Object.keys(patch).map(apiName);
          if (fields.length === 0) return account;
          if (patch.isAdmin !== undefined && !call.caller.isAdmin) throw onlyAdministrators();
          if (isLast(admins, id) && (patch.isAdmin === false || patch.status === 'suspended'))
            throw new Conflict('The last instance administrator cannot be demoted or suspended', {
              detail: 'Make another one first',
            });
          // An address that an administrator sets counts as verified.
          const full: AccountPatch = {
            ...patch,
            ...(patch.email !== undefined && { emailVerified: true }),
            lastActiveAt: call.now,
          };
          await accounts.update(id, full);
          const details = {
            fields,
            ...(patch.isAdmin !== undefined && { is_admin: patch.isAdmin }),
            ...(patch.status !== undefined && { status: patch.status }),
          };
          await audit.append(auditEntry(call, 'user.updated', `user:${id}`, details));
          const about = { aggregate: userAggregate(id), actorId: call.caller.id };
          await events.emit({
            type: 'user.updated',
            ...about,
            payload: { userId: id, username: account.username, fields },
          });
          if (patch.status !== undefined)
            await events.emit({
              type: patch.status === 'suspended' ? 'user.suspended' : 'user.reactivated',
              ...about,
              payload: { userId: id, username: account.username },
            });
          if (patch.status === 'suspended')
            await revoke(id, (ended) => auditEntry(call, 'user.suspended', `user:${id}`, ended));
          return { ...account, ...full };
        }),
      );
    },

    async delete(call, { id }) {
      // Tokens are revoked first, in a separate unit of work, so that they stay revoked if the deletion is rejected.
      await revokeAll(
        call,
        id,
        (account, admins) => {
          if (account.id === call.caller.id)
            throw cannotDelete('Administrators cannot delete their own account; another one has to');
          if (isLast(admins, id)) throw cannotDelete('It is the last instance administrator');
        },
        true,
      );
      await checkDeletable(id);
      try {
        await unitOfWork.run(async () => {
          const admins = await administrators(true);
          const { account } = await target(call, id);
          if (isLast(admins, id)) throw cannotDelete('It is the last instance administrator');
          await accounts.delete(id);
          await audit.append(auditEntry(call, 'user.deleted', `user:${id}`, { username: account.username }));
          await events.emit({
            type: 'user.deleted',
            aggregate: userAggregate(id),
            actorId: call.caller.id,
            payload: { userId: id, username: account.username },
          });
        });
      } catch (error) {
        if (error instanceof StillReferenced)
          throw cannotDelete(`Records in "${error.table}" still refer to the user`, error);
        throw error;
      }
    },

    async setPassword(call, { id, password }) {
      checkPassword(password);
      await existing(id);
      const passwordHash = await passwordHasher.hash(password, call.ip);
      const renewed = await access.renew(call);
      await unitOfWork.run(async () => {
        await target(renewed, id);
        await accounts.update(id, { passwordHash, lastActiveAt: call.now });
        const ended = await sessions.endAll(id, call.caller.id === id ? call.caller.credential.id : undefined);
        const others = await revokeIssued(parts.issued(), id);
        await audit.append(auditEntry(call, 'user.password_set', `user:${id}`, { sessions_ended: ended, ...others }));
      });
    },

    revokeTokens: (call, { id }) => revokeAll(call, id, () => undefined, false),
  } satisfies Administration;
}
