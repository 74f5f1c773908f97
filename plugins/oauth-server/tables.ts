// The tables of the authorization server as entities.
import { defineEntity, p, rows, type InferKyselyDB, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import type { AuthMethod, AuthorizationCode, Client, Family, Grant, PublicJwk } from 'hexforge/oauth';

const texts = () => p.json<readonly string[]>();

export const ClientTable = defineEntity({
  name: 'oauth.Client',
  tableName: 'oauth_server_client',
  properties: {
    id: p.uuid().primary(),
    clientId: p.text(),
    name: p.text(),
    nameKey: p.text(),
    description: p.text(),
    homepageUrl: p.text(),
    logoUrl: p.text(),
    redirectUris: texts(),
    scopes: texts(),
    authMethod: p.text().$type<AuthMethod>(),
    scopesChangedAt: p.datetime().nullable(),
    suspended: p.boolean(),
    ownerId: p.uuid().nullable(),
    secretHash: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
  },
});

export const GrantTable = defineEntity({
  name: 'oauth.Grant',
  tableName: 'oauth_server_grant',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    clientId: p.uuid(),
    resource: p.text(),
    scopes: texts(),
    remembered: texts().nullable(),
    redirectOrigin: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const CodeTable = defineEntity({
  name: 'oauth.Code',
  tableName: 'oauth_server_code',
  properties: {
    hash: p.text().primary(),
    grantId: p.uuid(),
    sessionId: p.uuid(),
    redirectUri: p.text(),
    challenge: p.text(),
    scopes: texts(),
    nonce: p.text().nullable(),
    authTime: p.datetime(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    takenAt: p.datetime().nullable(),
    familyId: p.uuid().nullable(),
    misses: p.integer(),
  },
});

export const FamilyTable = defineEntity({
  name: 'oauth.Family',
  tableName: 'oauth_server_family',
  properties: {
    id: p.uuid().primary(),
    grantId: p.uuid(),
    scopes: texts(),
    authTime: p.datetime(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    endedAt: p.datetime().nullable(),
  },
});

export const RefreshTokenTable = defineEntity({
  name: 'oauth.RefreshToken',
  tableName: 'oauth_server_refresh_token',
  properties: {
    hash: p.text().primary(),
    familyId: p.uuid(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    usedAt: p.datetime().nullable(),
  },
});

export const AccessTokenTable = defineEntity({
  name: 'oauth.AccessToken',
  tableName: 'oauth_server_access_token',
  properties: {
    id: p.uuid(),
    hash: p.text().primary(),
    familyId: p.uuid(),
    scopes: texts(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
  },
});

export const KeyTable = defineEntity({
  name: 'oauth.Key',
  tableName: 'oauth_server_key',
  properties: {
    id: p.text().primary(),
    publicJwk: p.json<PublicJwk>(),
    sealed: p.text(),
    createdAt: p.datetime(),
  },
});

const cascade = (table: string) => ({ table, onDelete: 'cascade' }) as const;

export const clientRows = rows<Client>(ClientTable, {
  uniques: { oauth_server_client_client_id: ['clientId'] },
  references: { ownerId: cascade('identity_user') },
});
export const grantRows = rows<Grant>(GrantTable, {
  uniques: { oauth_server_grant_once: ['userId', 'clientId', 'resource'] },
  references: { userId: cascade('identity_user'), clientId: cascade('oauth_server_client') },
});
export type CodeRow = AuthorizationCode & { readonly hash: string; readonly misses: number };
export const codeRows = rows<CodeRow>(CodeTable, { references: { grantId: cascade('oauth_server_grant') } });
export const familyRows = rows<Family>(FamilyTable, { references: { grantId: cascade('oauth_server_grant') } });
interface Issued {
  readonly hash: string;
  readonly familyId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
export const refreshTokenRows = rows<Issued & { readonly usedAt: Date | null }>(RefreshTokenTable);
export const accessTokenRows = rows<Issued & { readonly id: string; readonly scopes: readonly string[] }>(
  AccessTokenTable,
);

export const entities = [
  ClientTable,
  GrantTable,
  CodeTable,
  FamilyTable,
  RefreshTokenTable,
  AccessTokenTable,
  KeyTable,
] as const;

/** The types of rows in queries. */
export type OAuthRows = InferKyselyDB<(typeof entities)[number]>;

export const db = (database: SqlDatabase): Kysely<OAuthRows> => database.kysely<OAuthRows>();
