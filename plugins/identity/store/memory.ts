// Accounts, sessions and tokens in memory.
import { emailKey, usernameKey } from 'hexforge/identity';
import type {
  AccessToken,
  Account,
  AccountStore,
  PublicUserRow,
  SecuredAccount,
  Session,
  SessionStore,
  TokenStore,
} from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';

interface UserRow extends Account {
  readonly passwordHash: string;
}
interface RefreshRow {
  readonly hash: string;
  readonly sessionId: string;
  readonly usedAt: Date | undefined;
}
interface TokenRow extends AccessToken {
  readonly hash: string;
}

const users = (db: MemoryDatabase) =>
  db.table<UserRow>('identity_user', {
    key: ({ id }) => id,
    uniques: {
      identity_user_username_key: ({ username }) => usernameKey(username),
      identity_user_email_key: ({ email }) => emailKey(email),
    },
  });
const sessions = (db: MemoryDatabase) => db.table<Session>('identity_session', { key: ({ id }) => id });
const refreshTokens = (db: MemoryDatabase) =>
  db.table<RefreshRow>('identity_refresh_token', { key: ({ hash }) => hash });
const tokens = (db: MemoryDatabase) =>
  db.table<TokenRow>('identity_token', {
    key: ({ id }) => id,
    uniques: { identity_token_hash_key: ({ hash }) => hash },
  });

const secured = ({ passwordHash, ...account }: UserRow): SecuredAccount => ({ account, passwordHash });
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** As the foreign keys of the SQL store: a session takes its refresh tokens with it. */
function endSessions(db: MemoryDatabase, ends: (session: Session) => boolean): Session[] {
  const ended = sessions(db).all().filter(ends);
  for (const { id } of ended) {
    sessions(db).delete(id);
    for (const { hash, sessionId } of refreshTokens(db).all()) if (sessionId === id) refreshTokens(db).delete(hash);
  }
  return ended;
}

function deleteTokens(db: MemoryDatabase, userId: string): number {
  const owned = tokens(db)
    .all()
    .filter((token) => token.userId === userId);
  for (const { id } of owned) tokens(db).delete(id);
  return owned.length;
}

export function memoryAccountStore(db: MemoryDatabase): AccountStore {
  const table = users(db);
  const find = (is: (row: UserRow) => boolean): SecuredAccount | undefined => {
    const row = table.all().find(is);
    return row && secured(row);
  };
  db.publish<PublicUserRow>('identity_public_user', () =>
    table.all().map(({ id, username, displayName, avatarUrl }) => ({
      id,
      username,
      username_key: usernameKey(username),
      display_name: displayName,
      avatar_url: avatarUrl,
    })),
  );
  return {
    insert: async (account, passwordHash) => table.insert({ ...account, passwordHash }),
    any: async () => table.all().length > 0,
    byId: async (id) => find((row) => row.id === id)?.account,
    byIds: async (ids) =>
      table
        .all()
        .filter(({ id }) => ids.includes(id))
        .map((row) => secured(row).account),
    byUsername: async (username) => find((row) => usernameKey(row.username) === usernameKey(username))?.account,
    byEmail: async (email) => find((row) => emailKey(row.email) === emailKey(email))?.account,
    secured: async (username) => find((row) => usernameKey(row.username) === usernameKey(username)),
    async list({ q, limit, offset }) {
      const needle = q?.toLowerCase();
      const matching = table
        .all()
        .filter(
          ({ username, email, displayName }) =>
            needle === undefined || [username, email, displayName].some((text) => text.toLowerCase().includes(needle)),
        )
        .sort((a, b) => compare(usernameKey(a.username), usernameKey(b.username)));
      return {
        accounts: matching.slice(offset, offset + limit).map((row) => secured(row).account),
        total: matching.length,
      };
    },
    lock: async (id) => find((row) => row.id === id),
    lockAdministrators: async () =>
      table
        .all()
        .filter(({ isAdmin, status }) => isAdmin && status === 'active')
        .map(({ id }) => id)
        .sort(compare),
    update: async (id, patch) => table.update(id, patch),
    async delete(id) {
      endSessions(db, ({ userId }) => userId === id);
      deleteTokens(db, id);
      table.delete(id);
    },
  } satisfies AccountStore;
}

export function memorySessionStore(db: MemoryDatabase): SessionStore {
  const table = sessions(db);
  const refresh = refreshTokens(db);
  const ownerOf = (
    hash: string,
  ): { sessionId: string; userId: string; session: Session; row: RefreshRow } | undefined => {
    const row = refresh.get(hash);
    const session = row && table.get(row.sessionId);
    return row && session && { sessionId: session.id, userId: session.userId, session, row };
  };
  return {
    insert: async (session) => table.insert(session),
    async owner(id, now) {
      const session = table.get(id);
      const user = session && users(db).get(session.userId);
      if (session === undefined || user?.status !== 'active' || session.expiresAt <= now) return undefined;
      return { id: user.id, username: user.username, isAdmin: user.isAdmin };
    },
    addRefreshToken: async ({ hash, sessionId }) => refresh.insert({ hash, sessionId, usedAt: undefined }),
    async useRefreshToken(hash, now) {
      const found = ownerOf(hash);
      if (found === undefined || found.session.expiresAt <= now) return undefined;
      const { sessionId, userId, row } = found;
      if (row.usedAt !== undefined) return { outcome: 'reused', sessionId, userId };
      refresh.update(hash, { usedAt: now });
      return { outcome: 'fresh', sessionId, userId };
    },
    async byRefreshToken(hash) {
      const found = ownerOf(hash);
      return found && { sessionId: found.sessionId, userId: found.userId };
    },
    extend: async (id, expiresAt) => table.update(id, { expiresAt }),
    end: async (id) => endSessions(db, (session) => session.id === id)[0]?.userId,
    endAll: async (userId, except) =>
      endSessions(db, (session) => session.userId === userId && session.id !== except).length,
    prune: async (now) => endSessions(db, ({ expiresAt }) => expiresAt <= now).length,
  } satisfies SessionStore;
}

export function memoryTokenStore(db: MemoryDatabase): TokenStore {
  const table = tokens(db);
  const plain = ({ hash: _hash, ...token }: TokenRow): AccessToken => token;
  return {
    insert: async (token, hash) => table.insert({ ...token, hash }),
    async byHash(hash, now) {
      const token = table.all().find((row) => row.hash === hash);
      const user = token && users(db).get(token.userId);
      if (token === undefined || user?.status !== 'active' || (token.expiresAt !== undefined && token.expiresAt <= now))
        return undefined;
      return {
        token: { id: token.id, scopes: token.scopes, lastUsedAt: token.lastUsedAt },
        owner: { id: user.id, username: user.username, isAdmin: user.isAdmin },
      };
    },
    async list(userId, { limit, offset }) {
      const owned = table
        .all()
        .filter((token) => token.userId === userId)
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || compare(a.id, b.id));
      return { tokens: owned.slice(offset, offset + limit).map(plain), total: owned.length };
    },
    async delete(userId, id) {
      const token = table.get(id);
      if (token?.userId !== userId) return undefined;
      table.delete(id);
      return plain(token);
    },
    deleteAll: async (userId) => deleteTokens(db, userId),
    touch: async (id, now) => {
      if (table.get(id) !== undefined) table.update(id, { lastUsedAt: now });
    },
  } satisfies TokenStore;
}
