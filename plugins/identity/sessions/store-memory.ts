// The store of sessions and their refresh tokens in memory.
import type { Session, SessionStore } from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';
import { refreshTokens, sessions, users, type RefreshRow } from '../tables-memory.ts';

export function memorySessionStore(db: MemoryDatabase): SessionStore {
  const table = sessions(db);
  const refresh = refreshTokens(db);
  const sessionOf = (hash: string) => {
    const token = refresh.get(hash);
    return token && table.get(token.sessionId);
  };
  return {
    insert: async (session) => table.insert(session),
    async owner(id, now) {
      const session = table.get(id);
      const user = session && users(db).get(session.userId);
      if (session === undefined || user?.status !== 'active' || session.expiresAt <= now) return undefined;
      const { username, isAdmin, emailVerified, approval } = user;
      return { id: user.id, username, isAdmin, emailVerified, approval };
    },
    async list(userId, { now, limit, offset }) {
      const where = (row: Session): boolean => row.userId === userId && row.expiresAt > now;
      const orderBy = [{ desc: 'expiresAt' }, 'id'] as const;
      return { sessions: table.find({ where, orderBy, limit, offset }), total: table.count(where) };
    },
    async startedAt(id, now) {
      const session = table.get(id);
      return session !== undefined && session.expiresAt > now ? session.createdAt : undefined;
    },
    addRefreshToken: async (token) => refresh.insert({ ...token, usedAt: undefined }),
    async useRefreshToken(hash, now) {
      const session = sessionOf(hash);
      if (session === undefined || session.expiresAt <= now) return undefined;
      const reused = refresh.get(hash)?.usedAt !== undefined;
      if (!reused) refresh.update(hash, { usedAt: now });
      return { outcome: reused ? 'reused' : 'fresh', sessionId: session.id, userId: session.userId };
    },
    async byRefreshToken(hash) {
      const session = sessionOf(hash);
      return session && { sessionId: session.id, userId: session.userId };
    },
    async extend(id, expiresAt) {
      return table.update(id, { expiresAt });
    },
    async end(id) {
      const session = table.get(id);
      table.delete(id);
      return session?.userId;
    },
    endAll: async (userId, except) => table.deleteWhere((row) => row.userId === userId && row.id !== except),
    async endOldest(userId, most) {
      const oldest = table.find({ where: { userId }, orderBy: [{ desc: 'expiresAt' }, 'id'], offset: most - 1 });
      return oldest.filter(({ id }) => table.delete(id)).length;
    },
    async pruneRefreshTokens(before, most) {
      const where = ({ createdAt, usedAt, sessionId }: RefreshRow): boolean =>
        createdAt <= before && (usedAt !== undefined || table.get(sessionId) === undefined);
      return refresh.find({ where, limit: most }).filter(({ hash }) => refresh.delete(hash)).length;
    },
    prune: async (now, most) =>
      table.find({ where: ({ expiresAt }) => expiresAt <= now, limit: most }).filter(({ id }) => table.delete(id))
        .length,
  } satisfies SessionStore;
}
