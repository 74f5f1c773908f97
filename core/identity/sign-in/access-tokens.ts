// Use cases of personal access tokens: their owners create, list and revoke them; every request authenticates with
// them.
import { auditEntry } from '#core/kernel/services/audit';
import type { AuditLog } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import type { CredentialReader } from '#core/kernel/access/credentials';
import { NotFound, Unauthorized, Unprocessable, ValidationFailed } from '#core/kernel/errors';
import type { Log } from '#core/kernel/services/log';
import { offsetOf, type Page, type PageRequest } from '#core/kernel/page';
import type { ScopeCatalogue } from '#core/kernel/access/scopes';
import type { Ids } from '#core/kernel/time';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { userAggregate } from '../model/events.ts';
import type { AccountStore, SessionStore, TokenHasher, TokenStore } from '../model/ports.ts';
import { isToken, mintToken, tokenNameLimit, tokenPrefix } from '../model/access-token.ts';
import type { AccessToken } from '../model/access-token.ts';

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | undefined;
}

export interface AccessTokenParts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly tokenHasher: TokenHasher;
  readonly scopes: ScopeCatalogue;
  readonly audit: AuditLog;
  readonly events: Events;
  readonly unitOfWork: UnitOfWork;
  readonly ids: Ids;
  readonly log: Log;
}

export interface AccessTokens {
  list(call: Call<User>, page: PageRequest): Promise<Page<AccessToken>>;
  /**
   * Creates a token. `secret` is never returned again.
   * @throws {ValidationFailed} also with the code `unknown_scope`. @throws {Unprocessable} if the user has too many.
   */
  create(call: Call<User>, command: NewToken): Promise<{ readonly token: AccessToken; readonly secret: string }>;
  /** @throws {NotFound} if the caller has no such token. */
  revoke(call: Call<User>, command: { readonly id: string }): Promise<void>;
  readonly reader: CredentialReader;
  /** Resolves when pending updates of the last use have been written. */
  settled(): Promise<void>;
}

/** Maximum number of tokens per user. Expired ones count, and are deleted when the maximum is reached. */
const mostTokens = 1000;
const touchEveryMilliseconds = 60_000;

export function accessTokens({
  accounts,
  sessions,
  tokens,
  tokenHasher,
  scopes,
  audit,
  events,
  unitOfWork,
  ids,
  log,
}: AccessTokenParts): AccessTokens {
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
    if (name.trim() === '' || name.length > tokenNameLimit || /\p{Cc}/u.test(name))
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
    async list({ caller }, page) {
      const { tokens: items, total } = await tokens.list(caller.id, { limit: page.perPage, offset: offsetOf(page) });
      return { items, total, ...page };
    },

    async create(call, command) {
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
        if (held?.account.status !== 'active' || (await sessions.owner(caller.credential.id, now)) === undefined)
          throw new Unauthorized('The credential is not valid');
        await makeRoom(caller.id, now);
        await tokens.insert(token, tokenHasher.hash(secret));
        await audit.append(
          auditEntry(call, 'token.created', `token:${token.id}`, {
            name: token.name,
            scopes: token.scopes,
            expires_at: token.expiresAt?.toISOString() ?? null,
          }),
        );
        await events.emit({
          type: 'token.created',
          aggregate: userAggregate(caller.id),
          actorId: caller.id,
          payload: { userId: caller.id, tokenId: token.id },
        });
      });
      return { token, secret };
    },

    async revoke(call, { id }) {
      const { caller } = call;
      await unitOfWork.run(async () => {
        const token = await tokens.delete(caller.id, id);
        if (token === undefined) throw new NotFound('There is no such token');
        await audit.append(auditEntry(call, 'token.revoked', `token:${id}`, { name: token.name }));
        await events.emit({
          type: 'token.revoked',
          aggregate: userAggregate(caller.id),
          actorId: caller.id,
          payload: { userId: caller.id, tokenId: id },
        });
      });
    },

    reader: {
      prefix: tokenPrefix,
      async read(text, now) {
        if (!isToken(text)) return undefined;
        const found = await tokens.byHash(tokenHasher.hash(text), now);
        if (found === undefined) return undefined;
        const { token, owner } = found;
        touch(token.id, token.lastUsedAt, now);
        return { kind: 'user', ...owner, credential: { kind: 'pat', id: token.id, scopes: token.scopes } };
      },
    },

    async settled() {
      await Promise.all(touches.values());
    },
  } satisfies AccessTokens;
}
