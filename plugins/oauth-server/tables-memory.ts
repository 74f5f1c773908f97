// The in-memory tables of the authorization server, with the keys, unique constraints and foreign keys that the
// migrations declare.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { AuthorizationCode, Client, Family, Grant } from 'hexforge/oauth';

export type CodeRow = AuthorizationCode & { readonly hash: string; readonly misses: number };
export interface RefreshTokenRow {
  readonly hash: string;
  readonly familyId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
}
export interface AccessTokenRow {
  readonly id: string;
  readonly hash: string;
  readonly familyId: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const cascade = (table: string) => ({ table, onDelete: 'cascade' }) as const;

export const clientConstraints = {
  uniques: { oauth_server_client_client_id: ['clientId'] },
  references: { ownerId: cascade('identity_user') },
} as const;
export const grantConstraints = {
  uniques: { oauth_server_grant_once: ['userId', 'clientId', 'resource'] },
  references: { userId: cascade('identity_user'), clientId: cascade('oauth_server_client') },
} as const;

export const clients = (db: MemoryDatabase) =>
  db.table<Client>('oauth_server_client', { key: 'id', ...clientConstraints });
export const grants = (db: MemoryDatabase) => db.table<Grant>('oauth_server_grant', { key: 'id', ...grantConstraints });
export const codes = (db: MemoryDatabase) =>
  db.table<CodeRow>('oauth_server_code', { key: 'hash', references: { grantId: cascade('oauth_server_grant') } });
export const families = (db: MemoryDatabase) =>
  db.table<Family>('oauth_server_family', { key: 'id', references: { grantId: cascade('oauth_server_grant') } });
export const refreshTokens = (db: MemoryDatabase) =>
  db.table<RefreshTokenRow>('oauth_server_refresh_token', { key: 'hash' });
export const accessTokens = (db: MemoryDatabase) =>
  db.table<AccessTokenRow>('oauth_server_access_token', { key: 'hash' });
