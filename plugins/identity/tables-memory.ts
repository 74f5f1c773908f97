// The tables in memory: keys, unique constraints and cascades, as the migrations declare them in SQL.
import { emailKey, usernameKey } from 'hexforge/identity';
import type { AccessToken, Account, Session } from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';

export type UserRow = Account & { readonly passwordHash: string };
export interface RefreshRow {
  readonly hash: string;
  readonly sessionId: string;
  readonly usedAt: Date | undefined;
}
export type TokenRow = AccessToken & { readonly hash: string };

export const users = (db: MemoryDatabase) =>
  db.table<UserRow>('identity_user', {
    key: ({ id }) => id,
    uniques: {
      identity_user_username_key: ({ username }) => usernameKey(username),
      identity_user_email_key: ({ email }) => emailKey(email),
    },
  });
export const sessions = (db: MemoryDatabase) => db.table<Session>('identity_session', { key: ({ id }) => id });
export const refreshTokens = (db: MemoryDatabase) =>
  db.table<RefreshRow>('identity_refresh_token', { key: ({ hash }) => hash });
export const tokens = (db: MemoryDatabase) =>
  db.table<TokenRow>('identity_token', {
    key: ({ id }) => id,
    uniques: { identity_token_hash_key: ({ hash }) => hash },
  });

/** As the foreign keys of the SQL store: a session takes its refresh tokens with it. */
export function endSessions(db: MemoryDatabase, ends: (session: Session) => boolean): Session[] {
  const ended = sessions(db).all().filter(ends);
  for (const { id } of ended) {
    sessions(db).delete(id);
    for (const { hash, sessionId } of refreshTokens(db).all()) if (sessionId === id) refreshTokens(db).delete(hash);
  }
  return ended;
}

export function deleteTokens(db: MemoryDatabase, userId: string): number {
  const owned = tokens(db)
    .all()
    .filter((token) => token.userId === userId);
  for (const { id } of owned) tokens(db).delete(id);
  return owned.length;
}

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
