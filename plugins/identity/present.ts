// Accounts, sessions and tokens as the API shows them.
import type { AccessToken, Account } from 'hexforge/identity';
import type { Page } from 'hexforge/plugin';
import type { SignedIn } from '#core/identity/use-cases';
import type { AdminUserBody, PublicProfileBody, SessionBody, TokenBody, TokenPageBody, UserBody } from './schemas.ts';

export const user = (account: Account): UserBody => ({
  id: account.id,
  username: account.username,
  email: account.email,
  display_name: account.displayName,
  bio: account.bio,
  avatar_url: account.avatarUrl,
  is_admin: account.isAdmin,
  ...(account.approval !== undefined && { approval_state: account.approval }),
  created_at: account.createdAt.toISOString(),
});

export const publicProfile = (account: Account): PublicProfileBody => ({
  id: account.id,
  username: account.username,
  display_name: account.displayName,
  bio: account.bio,
  avatar_url: account.avatarUrl,
  created_at: account.createdAt.toISOString(),
});

export const session = ({ accessToken, account }: SignedIn): SessionBody => ({
  access_token: accessToken,
  user: user(account),
});

export const adminUser = (account: Account): AdminUserBody => ({
  id: account.id,
  username: account.username,
  email: account.email,
  display_name: account.displayName,
  is_admin: account.isAdmin,
  status: account.status,
  created_at: account.createdAt.toISOString(),
  last_active_at: account.lastActiveAt?.toISOString() ?? null,
});

export const token = ({ id, name, scopes, createdAt, expiresAt, lastUsedAt }: AccessToken): TokenBody => ({
  id,
  name,
  scopes: [...scopes],
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
  last_used_at: lastUsedAt?.toISOString() ?? null,
});

export const tokenPage = ({ items, total, page, perPage }: Page<AccessToken>): TokenPageBody => ({
  items: items.map(token),
  total,
  page,
  per_page: perPage,
});
