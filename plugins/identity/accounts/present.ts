// Renders accounts as JSON for administrators.
import type { Account } from 'hexforge/identity';
import type { AdminUserJson } from './schemas.ts';

export const presentAdminUser = (account: Account): AdminUserJson => ({
  id: account.id,
  username: account.username,
  email: account.email,
  display_name: account.displayName,
  is_admin: account.isAdmin,
  status: account.status,
  created_at: account.createdAt.toISOString(),
  last_active_at: account.lastActiveAt?.toISOString() ?? null,
});
