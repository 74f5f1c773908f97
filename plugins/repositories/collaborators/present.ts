// From the domain to JSON: collaborators and effective permissions.
import type { Collaborator, EffectivePermissions } from 'hexforge/repositories';
import type { CollaboratorJson, EffectivePermissionsJson } from './schemas.ts';

export const presentCollaborator = ({ user, collaboration, createdAt }: Collaborator): CollaboratorJson => ({
  user: { id: user.id, username: user.username, display_name: user.displayName, avatar_url: user.avatarUrl },
  role: collaboration.role,
  permissions: collaboration.permissions,
  created_at: createdAt.toISOString(),
});

export const presentEffectivePermissions = ({
  role,
  permissions,
  source,
  roleTemplateId,
}: EffectivePermissions): EffectivePermissionsJson => ({
  role,
  permissions,
  source,
  ...(roleTemplateId !== undefined && { role_template_id: roleTemplateId }),
});
