// The store of codes and tokens in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { IssuedStore } from 'hexforge/oauth';
import {
  accessTokenRows,
  clientRows,
  codeRows,
  familyRows,
  grantRows,
  refreshTokenRows,
  type CodeRow,
} from '../tables.ts';
import { issuedWrites } from './writes.ts';

export function memoryIssuedStore(db: MemoryDatabase): IssuedStore {
  const clients = clientRows.memory(db).table;
  const grants = grantRows.memory(db).table;
  const code = codeRows.memory(db).table;
  const family = familyRows.memory(db).table;
  const refresh = refreshTokenRows.memory(db).table;
  const access = accessTokenRows.memory(db).table;
  return {
    ...issuedWrites.memory(db),
    async codeByHash(hash) {
      const row = code.get(hash);
      const grant = row && grants.get(row.grantId);
      if (row === undefined || grant === undefined) return undefined;
      const { hash: _hash, misses: _misses, ...kept } = row;
      return { code: kept, grant };
    },
    async takeCode(hash, familyId, now) {
      const row = code.get(hash);
      if (row === undefined || row.takenAt !== null || row.expiresAt <= now) return false;
      return code.update(hash, { takenAt: now, familyId });
    },
    async missCode(hash, most, now) {
      const row = code.get(hash);
      if (row === undefined || row.takenAt !== null) return;
      code.update(hash, { misses: row.misses + 1, takenAt: row.misses + 1 >= most ? now : null });
    },
    async roomForFamily({ userId, clientId }, most) {
      const clientOf = new Map(grants.find({ where: { userId } }).map((grant) => [grant.id, grant.clientId]));
      const all = family.find({
        where: ({ grantId }) => clientOf.has(grantId),
        // A family that has not ended has no `endedAt`, and is sorted first.
        orderBy: [{ desc: ({ endedAt }) => endedAt ?? new Date(8.64e15) }, { desc: 'createdAt' }, 'id'],
      });
      const ofClient = all.filter(({ grantId }) => clientOf.get(grantId) === clientId);
      const past = new Set([...all.slice(most.ofUser - 1), ...ofClient.slice(most.ofClient - 1)].map(({ id }) => id));
      family.deleteWhere(({ id }) => past.has(id));
    },
    async refreshTokenByHash(hash) {
      const token = refresh.get(hash);
      const of = token && family.get(token.familyId);
      const grant = of && grants.get(of.grantId);
      if (token === undefined || of === undefined || grant === undefined) return undefined;
      const { usedAt, createdAt, expiresAt } = token;
      return { family: of, grant, usedAt, createdAt, expiresAt };
    },
    async takeRefreshToken(hash, now) {
      const token = refresh.get(hash);
      if (token === undefined || token.usedAt !== null || token.expiresAt <= now) return false;
      return family.get(token.familyId)?.endedAt === null && refresh.update(hash, { usedAt: now });
    },
    async accessTokenByHash(hash, now) {
      const token = access.get(hash);
      const of = token && family.get(token.familyId);
      const grant = of && grants.get(of.grantId);
      const client = grant && clients.get(grant.clientId);
      if (token === undefined || grant === undefined || client === undefined) return undefined;
      if (token.expiresAt <= now || of?.endedAt !== null || client.suspended) return undefined;
      return {
        id: token.id,
        userId: grant.userId,
        client: client.id,
        clientId: client.clientId,
        ownerId: client.ownerId,
        familyId: token.familyId,
        scopes: token.scopes.filter((scope) => client.scopes.includes(scope)),
        resource: grant.resource,
        createdAt: token.createdAt,
        expiresAt: token.expiresAt,
      };
    },
    async prune(now, most) {
      const expired = ({ expiresAt }: { readonly expiresAt: Date }): boolean => expiresAt <= now;
      const where = (row: CodeRow): boolean =>
        expired(row) && (row.familyId === null || family.get(row.familyId) === undefined);
      return [
        ...access.find({ where: expired, limit: most }).filter(({ hash }) => access.delete(hash)),
        ...refresh.find({ where: expired, limit: most }).filter(({ hash }) => refresh.delete(hash)),
        ...family.find({ where: expired, limit: most }).filter(({ id }) => family.delete(id)),
        ...code.find({ where, limit: most }).filter(({ hash }) => code.delete(hash)),
      ].length;
    },
  } satisfies IssuedStore;
}
