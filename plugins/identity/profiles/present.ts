// Renders accounts as JSON, for their owner and for the public.
import type { Account } from 'hexforge/identity';
import type { PublicProfileJson, UserJson } from './schemas.ts';

export const presentUser = (account: Account): UserJson => ({
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

export const presentPublicProfile = (account: Account): PublicProfileJson => ({
  id: account.id,
  username: account.username,
  display_name: account.displayName,
  bio: account.bio,
  avatar_url: account.avatarUrl,
  created_at: account.createdAt.toISOString(),
});
