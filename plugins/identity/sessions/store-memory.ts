// Sessions and their refresh tokens in memory.
import type { Session, SessionStore } from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';
import { endSessions, refreshTokens, sessions, users } from '../tables-memory.ts';
import type { RefreshRow } from '../tables-memory.ts';

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
