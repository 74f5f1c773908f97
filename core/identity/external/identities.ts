// Use cases of the identities of an account: its owner lists, links and unlinks them.
import type { Call, User } from '#core/kernel/caller';
import type { ExternalUser } from '#core/kernel/access/sign-in-flows';
import { Conflict, Forbidden, found, NotFound, onDuplicate, Unprocessable } from '#core/kernel/errors';
import { auditEntry } from '#core/kernel/services/audit';
import { userAggregate } from '../model/events.ts';
import { mostIdentities, type ExternalIdentity } from '../model/external-identity.ts';
import type { IdentityParts } from '../model/parts.ts';
import { noPassword } from '../model/password.ts';
import { userEvent } from '../model/user-event.ts';
import { refusedAnswers } from '../sign-in/blocked.ts';
import type { SignInBlocks } from '../sign-in/sign-in-blocks.ts';
import { signInKey, throttle } from '../sign-in/sign-in-throttle.ts';
import type { ExternalAccounts } from './accounts.ts';

/** Links an external user to an account whose session was checked. */
export type LinkExternal = (
  call: Call,
  userId: string,
  provider: string,
  user: ExternalUser,
) => Promise<ExternalIdentity>;

/** How an account can be signed in to. */
export interface WaysIn {
  readonly hasPassword: boolean;
  readonly identities: readonly ExternalIdentity[];
}

const gone = 'The account does not exist any more';

export function externalIdentityUseCases(parts: IdentityParts, externals: ExternalAccounts, { blockOf }: SignInBlocks) {
  const { accounts, identities, directories, directorySeconds, signInFlows, rateCounter } = parts;
  const { audit, events, unitOfWork } = parts;
  const guard = throttle(rateCounter);

  /** The providers through which users can sign in now. */
  const offered = async (): Promise<ReadonlySet<string>> => {
    const flows = await Promise.all(signInFlows().map((flow) => flow.providers()));
    return new Set([...directories.names(), ...flows.flat()].map(({ id }) => id));
  };

  const taken = (cause?: unknown): Conflict =>
    new Conflict(refusedAnswers.identity_taken.message, {
      code: 'identity_taken',
      detail: refusedAnswers.identity_taken.detail,
      cause,
    });

  const link: LinkExternal = async (call, userId, provider, user) => {
    const { identity, key } = externals.identity(provider, user, userId);
    return onDuplicate(
      () =>
        unitOfWork.run(async () => {
          const { account } = found(await accounts.lock(userId), gone);
          if ((await blockOf(account)) !== undefined) throw new Forbidden('The account may not sign in');
          const known = await identities.byKey(key);
          if (known !== undefined) {
            if (known.userId === userId) return known;
            throw taken();
          }
          if ((await identities.ofUser(userId)).length >= mostIdentities)
            throw new Unprocessable(refusedAnswers.too_many_identities.message, {
              code: 'too_many_identities',
              detail: refusedAnswers.too_many_identities.detail,
            });
          await identities.insert(identity, key);
          await audit.append({
            ...auditEntry(call, 'identity.linked', userAggregate(userId), { provider, identity_id: identity.id }),
            actorId: userId,
            actorUsername: account.username,
          });
          await events.emit(userEvent('identity.linked', { userId, provider }, userId));
          return identity;
        }),
      (duplicate) => taken(duplicate),
    );
  };

  return {
    link,

    /** The ways into the account of the caller. */
    async waysIn({ caller }: Call<User>): Promise<WaysIn> {
      const held = found(await accounts.secured(caller.username), gone);
      return { hasPassword: held.passwordHash !== noPassword, identities: await identities.ofUser(caller.id) };
    },

    /** Oldest first. */
    list: ({ caller }: Call<User>): Promise<readonly ExternalIdentity[]> => identities.ofUser(caller.id),

    /** Whether a provider is a directory, which links by a name and a password. */
    isDirectory: (provider: string): boolean => directories.names().some(({ id }) => id === provider),

    /**
     * Whether the caller could not sign in any more without a provider.
     */
    async dependsOn({ caller }: Call<User>, provider: string): Promise<boolean> {
      const held = await accounts.secured(caller.username);
      if (held === undefined || held.passwordHash !== noPassword) return false;
      const others = await offered();
      return !(await identities.ofUser(caller.id)).some(
        (identity) => identity.provider !== provider && others.has(identity.provider),
      );
    },

    /**
     * Links a user of a directory, proved by their password there.
     * @throws {NotFound | Forbidden | Conflict | RateLimited | Unavailable}
     */
    async linkByPassword(
      call: Call<User>,
      {
        provider,
        username,
        password,
      }: { readonly provider: string; readonly username: string; readonly password: string },
    ): Promise<ExternalIdentity> {
      const { id } = call.caller;
      // Counts as a sign-in with that name. Otherwise a user whose own password clears the count could guess others'.
      const proved = await guard.attempt(signInKey(username, call.ip), call.now, () =>
        directories.find(username, password, {
          ip: call.ip,
          now: call.now,
          waitSeconds: directorySeconds,
          only: provider,
        }),
      );
      if (proved === undefined) {
        await audit.append(auditEntry(call, 'user.login_failed', userAggregate(id), { surface: 'link', provider }));
        throw new Forbidden('The username or password is wrong', {
          code: 'wrong_password',
          detail: `"${provider}" does not know them`,
        });
      }
      const { subject } = proved.user;
      if (subject === undefined)
        throw new Unprocessable('The directory has no permanent ids, so its users cannot be linked', {
          detail: 'Its users sign in to the account of the same name',
        });
      const renewed = await call.renew();
      return link(renewed, id, provider, { ...proved.user, subject, emailVerified: true });
    },

    /** @throws {NotFound} @throws {Conflict} `last_way_in`, if the user could not sign in any more. */
    unlink: (call: Call<User>, { id }: { readonly id: string }): Promise<void> =>
      unitOfWork.run(async () => {
        const { caller } = call;
        const { passwordHash } = found(await accounts.lock(caller.id), gone);
        const [all, usable] = [await identities.ofUser(caller.id), await offered()];
        const identity = all.find((one) => one.id === id);
        if (identity === undefined) throw new NotFound('There is no such identity');
        const others = all.filter((one) => one.id !== id && usable.has(one.provider));
        if (passwordHash === noPassword && others.length === 0)
          throw new Conflict('It is the only way to sign in to the account', {
            code: 'last_way_in',
            detail: 'Set a password or link another identity first',
          });
        await identities.delete(caller.id, id);
        const { provider } = identity;
        await audit.append(
          auditEntry(call, 'identity.unlinked', userAggregate(caller.id), { provider, identity_id: id }),
        );
        await events.emit(userEvent('identity.unlinked', { userId: caller.id, provider }, caller.id));
      }),
  };
}
