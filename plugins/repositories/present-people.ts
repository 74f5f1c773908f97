// From the domain to JSON: collaborators, effective permissions and role templates.
import type { Collaborator, EffectivePermissions, RoleTemplate } from '#core/repositories/index';
import type { CollaboratorJson, EffectivePermissionsJson, TemplateJson } from './schemas/people.ts';

export const collaborator = ({ user, collaboration, createdAt }: Collaborator): CollaboratorJson => ({
  user: { id: user.id, username: user.username, display_name: user.displayName, avatar_url: user.avatarUrl },
  role: collaboration.role,
  permissions: [...collaboration.permissions],
  created_at: createdAt.toISOString(),
});

export const effective = ({
  role,
  permissions,
  source,
  roleTemplateId,
}: EffectivePermissions): EffectivePermissionsJson => ({
  role,
  permissions: [...permissions],
  source,
  ...(roleTemplateId !== undefined && { role_template_id: roleTemplateId }),
});

export const template = ({ id, name, permissions, createdAt, updatedAt }: RoleTemplate): TemplateJson => ({
  id,
  name,
  permissions: [...permissions],
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});
