// Finds or creates the account of an external user: one rule for directories and for sign-in by redirect.
import type { ExternalUser } from '#core/kernel/access/sign-in-flows';
import { Conflict, Duplicate } from '#core/kernel/errors';
import type { AuditAction, AuditEntry } from '#core/kernel/services/audit';
import { checkProfile, profileLimits, type Account } from '../model/account.ts';
import { userAggregate } from '../model/events.ts';
import { hintOf, identityKey, type AdmittedUser, type ExternalIdentity } from '../model/external-identity.ts';
import type { IdentityParts } from '../model/parts.ts';
import { noPassword } from '../model/password.ts';
import { printable } from '../model/printable.ts';
import { userEvent } from '../model/user-event.ts';
import { usernameKey } from '../model/username.ts';
import type { Block } from '../sign-in/blocked.ts';
import type { SignInBlocks } from '../sign-in/sign-in-blocks.ts';
import { claimedUsername, usernameCandidates } from './usernames.ts';

/** The result of a sign-in of an external user. */
export type Outcome =
  | { readonly kind: 'known'; readonly account: Account; readonly block: Block | undefined }
  | { readonly kind: 'new'; readonly username: string; readonly email: string | undefined }
  /** `account`: the one whose name or address the user has. */
  | { readonly kind: 'refused'; readonly account: Account | undefined; readonly block: Block };

/** Builds an audit entry about the sign-in. */
export type EntryOf = (action: AuditAction, resource: string, details: AuditEntry['details']) => AuditEntry;

export interface ExternalAccounts {
  /** The result that a sign-in would have. Changes nothing. */
  outcome(provider: string, user: AdmittedUser): Promise<Outcome>;
  /** The account of the user, created if it is new, and the reason why it may not be used. */
  admit(
    provider: string,
    user: AdmittedUser,
    entry: EntryOf,
  ): Promise<{ readonly account: Account | undefined; readonly block: Block | undefined }>;
  /** A new identity of an account, to be inserted under its key. */
  identity(
    provider: string,
    user: ExternalUser,
    userId: string,
  ): { readonly identity: ExternalIdentity; readonly key: string };
  /** The key under which the identity of a subject is stored. */
  keyOf(provider: string, subject: string): string;
}

/** Further sign-ins of the same new user may be faster, each at most once. */
const attempts = 8;

/** RFC 2606, section 2: a domain that never exists. */
const noDomain = 'users.invalid';

/** The address that an account can have; undefined if the provider gave none, or one that is not valid. */
function usableEmail({ email }: ExternalUser): string | undefined {
  if (email === undefined) return undefined;
  try {
    checkProfile({ email });
    return email;
  } catch {
    return undefined;
  }
}

export function externalAccounts(parts: IdentityParts, { blockOf }: SignInBlocks): ExternalAccounts {
  const { accounts, identities, tokenHasher, settings, audit, events, unitOfWork, clock, ids, log } = parts;
  const keyOf = (provider: string, subject: string): string => tokenHasher.hash(identityKey(provider, subject));

  /** The account that owns the name or the address of the user, which only its owner may link. */
  const owner = async (user: ExternalUser): Promise<Account | undefined> => {
    const claimed = claimedUsername(user);
    const named = claimed === undefined ? undefined : await accounts.secured(claimed);
    // The name of an account that came from a provider itself is not its own, so the next one gets another name.
    if (named !== undefined && named.passwordHash !== noPassword) return named.account;
    const email = usableEmail(user);
    return email === undefined ? undefined : accounts.byEmail(email);
  };

  const freeUsername = async (user: ExternalUser): Promise<string | undefined> => {
    const candidates = usernameCandidates(user);
    const taken = new Set((await accounts.byUsernames(candidates)).map(({ username }) => usernameKey(username)));
    return candidates.find((name) => !taken.has(usernameKey(name)));
  };

  const outcome = async (provider: string, user: AdmittedUser): Promise<Outcome> => {
    const linked = await identities.byKey(keyOf(provider, user.subject));
    const account = linked && (await accounts.byId(linked.userId));
    if (account !== undefined) return { kind: 'known', account, block: await blockOf(account) };
    const other = await owner(user);
    if (other !== undefined) return { kind: 'refused', account: other, block: 'account_exists' };
    const username = await freeUsername(user);
    if (username === undefined || !(await settings.get('auth.auto_create')))
      return { kind: 'refused', account: undefined, block: 'account_unknown' };
    return { kind: 'new', username, email: usableEmail(user) };
  };

  const identity: ExternalAccounts['identity'] = (provider, user, userId) => ({
    identity: {
      id: ids.uuid(),
      userId,
      provider,
      subject: user.subject,
      hint: hintOf(user),
      createdAt: clock.now(),
    },
    key: keyOf(provider, user.subject),
  });

  const create = async (
    provider: string,
    user: AdmittedUser,
    { username, email }: Outcome & { readonly kind: 'new' },
    entry: EntryOf,
  ): Promise<Account> => {
    const id = ids.uuid();
    const made: Account = {
      id,
      username,
      email: email ?? `${id}@${noDomain}`,
      displayName: printable(user.displayName ?? '', profileLimits.displayName),
      bio: '',
      avatarUrl: '',
      isAdmin: user.isAdmin === true,
      status: 'active',
      approval: (await settings.get('signup.require_approval')) ? 'pending' : undefined,
      emailVerified: email !== undefined && user.emailVerified,
      createdAt: clock.now(),
      lastActiveAt: undefined,
    };
    const { identity: linked, key } = identity(provider, user, id);
    await unitOfWork.run(async () => {
      await accounts.insert(made, noPassword);
      await identities.insert(linked, key);
      const resource = userAggregate(id);
      await audit.append(entry('user.created', resource, { username, provider, is_admin: made.isAdmin }));
      await audit.append(entry('identity.linked', resource, { provider, identity_id: linked.id }));
      await events.emit(userEvent('user.created', { userId: id, username }, undefined));
      await events.emit(userEvent('identity.linked', { userId: id, provider }, undefined));
    });
    return made;
  };

  /** Applies what the directory says about administrators, except to the first one and to the last one. */
  const synchronized = async (provider: string, account: Account, isAdmin: boolean, entry: EntryOf): Promise<Account> =>
    unitOfWork.run(async () => {
      const { id, username } = account;
      const administrators = await accounts.lockAdministrators();
      const held = (await accounts.lock(id))?.account;
      if (held === undefined || held.isAdmin === isAdmin || (await accounts.isFirst(id))) return held ?? account;
      if (!isAdmin && administrators.length === 1 && administrators[0] === id) {
        log.warn({ userId: id, provider }, 'the last instance administrator is none by the directory, and stays one');
        return held;
      }
      await accounts.update(id, { isAdmin });
      await audit.append(
        entry('user.updated', userAggregate(id), { fields: ['is_admin'], is_admin: isAdmin, provider }),
      );
      await events.emit(userEvent('user.updated', { userId: id, username, fields: ['is_admin'] }, undefined));
      return { ...held, isAdmin };
    });

  return {
    outcome,
    identity,
    keyOf,
    async admit(provider, user, entry) {
      for (let attempt = 1; ; attempt += 1) {
        const found = await outcome(provider, user);
        if (found.kind === 'refused') return found;
        if (found.kind === 'known') {
          const { account, block } = found;
          if (user.isAdmin === undefined || user.isAdmin === account.isAdmin || block !== undefined) return found;
          const current = await synchronized(provider, account, user.isAdmin, entry);
          return { account: current, block: await blockOf(current) };
        }
        try {
          const account = await create(provider, user, found, entry);
          return { account, block: await blockOf(account) };
        } catch (error) {
          // Another sign-in has created the account, or one with the name or the address, meanwhile.
          if (!(error instanceof Duplicate)) throw error;
          if (attempt === attempts)
            throw new Conflict('The account is being created by another sign-in', {
              detail: 'Try again',
              cause: error,
            });
        }
      }
    },
  };
}
