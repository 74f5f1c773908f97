// Converts role templates to JSON.
import type { RoleTemplate } from 'hexforge/repositories';
import type { TemplateJson } from './schemas.ts';

export const presentTemplate = ({ id, name, permissions, createdAt, updatedAt }: RoleTemplate): TemplateJson => ({
  id,
  name,
  permissions,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});
