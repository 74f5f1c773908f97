// The statements of codes and tokens that are the same in SQL and in memory.
import { storeOf } from 'hexforge/plugin';
import type { IssuedStore } from 'hexforge/oauth';
import { accessTokenRows, codeRows, familyRows, refreshTokenRows } from '../tables.ts';

export const issuedWrites = storeOf(
  { codes: codeRows, families: familyRows, refreshTokens: refreshTokenRows, accessTokens: accessTokenRows },
  ({ codes, families, refreshTokens, accessTokens }) =>
    ({
      async insertCode(code, hash) {
        await codes.insert({ ...code, hash, misses: 0 });
      },
      async insertFamily(family) {
        await families.insert(family);
      },
      async endFamily(id, now) {
        await families.updateMany({ where: { id, endedAt: null } }, { endedAt: now });
        await accessTokens.deleteMany({ where: { familyId: id } });
      },
      async insertRefreshToken(token) {
        await refreshTokens.insert({ ...token, usedAt: null });
      },
      async insertAccessToken(token) {
        await accessTokens.insert(token);
      },
      deleteAccessToken: (hash) => accessTokens.deleteMany({ where: { hash } }),
    }) satisfies Partial<IssuedStore>,
);
