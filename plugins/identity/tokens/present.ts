// Renders personal access tokens as JSON, without their secret.
import type { AccessToken } from 'hexforge/identity';
import type { TokenJson } from './schemas.ts';

export const presentToken = ({ id, name, scopes, createdAt, expiresAt, lastUsedAt }: AccessToken): TokenJson => ({
  id,
  name,
  scopes,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
  last_used_at: lastUsedAt?.toISOString() ?? null,
});
