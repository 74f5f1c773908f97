// The tables of identity in memory, with the keys, unique constraints and foreign keys that the migrations declare in
// SQL.
import { emailKey, groupNameKey, usernameKey } from 'hexforge/identity';
import type { AccessToken, Account, ExternalIdentity, Session, UserGroup } from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';

export type UserRow = Account & { readonly passwordHash: string; readonly isFirst: boolean };
export interface RefreshRow {
  readonly hash: string;
  readonly sessionId: string;
  readonly createdAt: Date;
  readonly usedAt: Date | undefined;
}
export type TokenRow = AccessToken & { readonly hash: string };

export type ExternalRow = ExternalIdentity & { readonly key: string };

const ofUser = { userId: { table: 'identity_user', onDelete: 'cascade' } } as const;

export const users = (db: MemoryDatabase) =>
  db.table<UserRow>('identity_user', {
    key: 'id',
    uniques: {
      identity_user_username_key: ({ username }) => usernameKey(username),
      identity_user_email_key: ({ email }) => emailKey(email),
    },
  });
export const sessions = (db: MemoryDatabase) =>
  db.table<Session>('identity_session', { key: 'id', references: ofUser });
export const refreshTokens = (db: MemoryDatabase) => db.table<RefreshRow>('identity_refresh_token', { key: 'hash' });
export const tokens = (db: MemoryDatabase) =>
  db.table<TokenRow>('identity_token', {
    key: 'id',
    uniques: { identity_token_hash_key: ['hash'] },
    references: ofUser,
  });

export interface GroupMemberRow {
  readonly groupId: string;
  readonly userId: string;
  readonly addedAt: Date;
}

export const groups = (db: MemoryDatabase) =>
  db.table<UserGroup>('identity_group', {
    key: 'id',
    uniques: { identity_group_slug_key: ['slug'], identity_group_name_key: ({ name }) => groupNameKey(name) },
  });
export const groupMembers = (db: MemoryDatabase) =>
  db.table<GroupMemberRow>('identity_group_member', {
    key: ['groupId', 'userId'],
    references: { ...ofUser, groupId: { table: 'identity_group', onDelete: 'cascade' } },
  });

export const externals = (db: MemoryDatabase) =>
  db.table<ExternalRow>('identity_external', {
    key: 'id',
    uniques: { identity_external_key: ['key'] },
    references: ofUser,
  });
export const usedAnswers = (db: MemoryDatabase) =>
  db.table<{ readonly hash: string; readonly expiresAt: Date }>('identity_used_answer', { key: 'hash' });
