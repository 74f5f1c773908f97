// Use cases of personal access tokens: their owners create, list and revoke them; every request authenticates with
// them.
import { isLonger } from '#core/kernel/characters';
import { auditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import type { CredentialReader } from '#core/kernel/access/credentials';
import { describedScopes, type DescribedScope } from '#core/kernel/access/scopes';
import { found, Unauthorized, Unprocessable, ValidationFailed } from '#core/kernel/errors';
import { offsetOf, type Page, type PageRequest } from '#core/kernel/page';
import { isToken, mintToken, tokenNameLimit, tokenPrefix, type AccessToken } from '../model/access-token.ts';
import { userEvent } from '../model/user-event.ts';
import type { IdentityParts } from '../model/parts.ts';
import type { SignInBlocks } from './sign-in-blocks.ts';

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | undefined;
}

/** Maximum number of tokens per user. Expired ones count, and are deleted when the maximum is reached. */
const mostTokens = 1000;
const touchEveryMilliseconds = 60_000;

export function accessTokenUseCases(parts: IdentityParts, { blockOf, admitted }: SignInBlocks) {
  const { accounts, sessions, tokens, tokenHasher, scopes, audit, events, unitOfWork, ids, log } = parts;
  const touches = new Map<string, Promise<void>>();

  /** Stores the time of use in the background, at most once a minute per token. */
  const touch = (id: string, lastUsedAt: Date | undefined, now: Date): void => {
    if (touches.has(id) || (lastUsedAt !== undefined && now.getTime() - lastUsedAt.getTime() < touchEveryMilliseconds))
      return;
    touches.set(
      id,
      tokens
        .touch(id, now)
        .catch((error: unknown) => log.warn({ err: error, tokenId: id }, 'the last use of a token could not be noted'))
        .finally(() => touches.delete(id)),
    );
  };

  const checkNew = ({ name, scopes: wanted, expiresAt }: NewToken, now: Date): void => {
    const invalid = (detail: string): ValidationFailed => new ValidationFailed('The token is not valid', { detail });
    if (name.trim() === '' || isLonger(name, tokenNameLimit) || /\p{Cc}/u.test(name))
      throw invalid(`"name" is one line of 1 to ${tokenNameLimit} characters`);
    if (expiresAt !== undefined && expiresAt.getTime() <= now.getTime()) throw invalid('"expires_at" is in the past');
    const known = scopes.tokenScopes('pat');
    const unknown = wanted.find((scope) => !known.includes(scope));
    if (unknown !== undefined)
      throw new ValidationFailed('Unknown scope', {
        code: 'unknown_scope',
        detail: `"scopes" names "${unknown.slice(0, 64)}"; known are: ${known.join(', ')}`,
      });
  };

  /** Must run inside a unit of work that has locked the account. @throws {Unprocessable} */
  const makeRoom = async (userId: string, now: Date): Promise<void> => {
    const count = await tokens.count(userId);
    if (count < mostTokens || count - (await tokens.deleteExpired(userId, now)) < mostTokens) return;
    throw new Unprocessable('There is no room for another token', {
      detail: `A user has at most ${mostTokens}; delete one`,
    });
  };

  return {
    /** The scopes that a token can have, those of administrators last. */
    scopes: (): readonly DescribedScope[] => {
      const all = describedScopes(scopes, 'pat').toSorted((left, right) => (left.name < right.name ? -1 : 1));
      const { true: ofAdministrators = [], false: others = [] } = Object.groupBy(
        all,
        ({ name }) => String(name.startsWith('admin:')) as 'true' | 'false',
      );
      return [...others, ...ofAdministrators];
    },

    async list({ caller }: Call<User>, page: PageRequest): Promise<Page<AccessToken>> {
      const { tokens: items, total } = await tokens.list(caller.id, { limit: page.perPage, offset: offsetOf(page) });
      return { items, total, ...page };
    },

    /**
     * Creates a token. `secret` is never returned again.
     * @throws {ValidationFailed} also with the code `unknown_scope`. @throws {Unprocessable} if the user has too many.
     */
    async create(
      call: Call<User>,
      command: NewToken,
    ): Promise<{ readonly token: AccessToken; readonly secret: string }> {
      checkNew(command, call.now);
      const { caller, now } = call;
      const secret = mintToken(ids);
      const token: AccessToken = {
        id: ids.uuid(),
        userId: caller.id,
        name: command.name,
        scopes: [...new Set(command.scopes)],
        createdAt: now,
        expiresAt: command.expiresAt,
        lastUsedAt: undefined,
      };
      await unitOfWork.run(async () => {
        // Revoking a user's credentials locks the account first. With the same lock here, no token is created between
        // the revocation and its commit.
        const held = await accounts.lock(caller.id);
        if (
          held === undefined ||
          (await blockOf(held.account)) !== undefined ||
          (await sessions.owner(caller.credential.id, now)) === undefined
        )
          throw new Unauthorized('The credential is not valid');
        await makeRoom(caller.id, now);
        await tokens.insert(token, tokenHasher.hash(secret));
        const { id: tokenId, name, scopes: given, expiresAt } = token;
        const details = { name, scopes: given, expires_at: expiresAt?.toISOString() ?? null };
        await audit.append(auditEntry(call, 'token.created', `token:${tokenId}`, details));
        await events.emit(userEvent('token.created', { userId: caller.id, tokenId }, caller.id));
      });
      return { token, secret };
    },

    /** @throws {NotFound} if the caller has no such token. */
    revoke: (call: Call<User>, { id }: { readonly id: string }): Promise<void> =>
      unitOfWork.run(async () => {
        const { id: userId } = call.caller;
        const { name } = found(await tokens.delete(userId, id), 'There is no such token');
        await audit.append(auditEntry(call, 'token.revoked', `token:${id}`, { name }));
        await events.emit(userEvent('token.revoked', { userId, tokenId: id }, userId));
      }),

    reader: {
      prefix: tokenPrefix,
      async read(text, now) {
        const known = isToken(text) ? await tokens.byHash(tokenHasher.hash(text), now) : undefined;
        if (known === undefined) return undefined;
        const { token } = known;
        const owner = await admitted(known.owner);
        if (owner === undefined) return undefined;
        touch(token.id, token.lastUsedAt, now);
        return { kind: 'user', ...owner, credential: { kind: 'pat', id: token.id, scopes: token.scopes } };
      },
    } satisfies CredentialReader,

    /** Resolves when pending updates of the last use have been written. */
    async settled(): Promise<void> {
      await Promise.all(touches.values());
    },
  };
}
