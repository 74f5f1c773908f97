// The tables of accounts, external identities, sessions, tokens and user groups.
import type { AccountStatus, ApprovalState, GroupRole, IdentityViews } from 'hexforge/identity';
import { defineEntity, p } from 'hexforge/plugin';
import type { InferKyselyDB, Kysely, SqlDatabase } from 'hexforge/plugin';

export const UserTable = defineEntity({
  name: 'identity.User',
  tableName: 'identity_user',
  properties: {
    id: p.uuid().primary(),
    username: p.text(),
    /** The username in lower case. */
    usernameKey: p.text(),
    email: p.text(),
    /** The e-mail address in lower case. */
    emailKey: p.text(),
    displayName: p.text(),
    /** The display name in lower case by Unicode's rules, because PostgreSQL's depend on the server's locale. */
    displayNameKey: p.text(),
    bio: p.text(),
    avatarUrl: p.text(),
    isAdmin: p.boolean(),
    status: p.text().$type<AccountStatus>(),
    approval: p.text().$type<ApprovalState>().nullable(),
    emailVerified: p.boolean(),
    /** Empty for an account without a local password. */
    passwordHash: p.text(),
    isFirst: p.boolean(),
    createdAt: p.datetime(),
    lastActiveAt: p.datetime().nullable(),
  },
});

export const SessionTable = defineEntity({
  name: 'identity.Session',
  tableName: 'identity_session',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    ip: p.text(),
    userAgent: p.text(),
  },
});

export const RefreshTokenTable = defineEntity({
  name: 'identity.RefreshToken',
  tableName: 'identity_refresh_token',
  properties: {
    /** SHA-256 in hex. */
    hash: p.text().primary(),
    sessionId: p.uuid(),
    createdAt: p.datetime(),
    usedAt: p.datetime().nullable(),
  },
});

export const TokenTable = defineEntity({
  name: 'identity.Token',
  tableName: 'identity_token',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    name: p.text(),
    /** SHA-256 in hex. */
    hash: p.text(),
    scopes: p.json<readonly string[]>(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
  },
});

export const GroupTable = defineEntity({
  name: 'identity.Group',
  tableName: 'identity_group',
  properties: {
    id: p.uuid().primary(),
    slug: p.text(),
    name: p.text(),
    /** The name in lower case. */
    nameKey: p.text(),
    description: p.text(),
    role: p.text().$type<GroupRole>(),
    isSystem: p.boolean(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const GroupMemberTable = defineEntity({
  name: 'identity.GroupMember',
  tableName: 'identity_group_member',
  properties: { groupId: p.uuid().primary(), userId: p.uuid().primary(), addedAt: p.datetime() },
});

export const ExternalTable = defineEntity({
  name: 'identity.External',
  tableName: 'identity_external',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    provider: p.text(),
    subject: p.text(),
    hint: p.text(),
    createdAt: p.datetime(),
    /** SHA-256 of provider and subject, in hex. */
    key: p.text(),
  },
});

export const UsedAnswerTable = defineEntity({
  name: 'identity.UsedAnswer',
  tableName: 'identity_used_answer',
  properties: {
    /** SHA-256 in hex. */
    hash: p.text().primary(),
    expiresAt: p.datetime(),
  },
});

export const identityEntities = [
  UserTable,
  SessionTable,
  RefreshTokenTable,
  TokenTable,
  GroupTable,
  GroupMemberTable,
  ExternalTable,
  UsedAnswerTable,
] as const;

/** The types of rows in queries. */
export type IdentityRows = InferKyselyDB<(typeof identityEntities)[number]> & IdentityViews;

export const rows = (db: SqlDatabase): Kysely<IdentityRows> => db.kysely<IdentityRows>();
