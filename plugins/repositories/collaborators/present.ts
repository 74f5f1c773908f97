// Converts collaborators and effective permissions to JSON.
import { presentUser } from 'hexforge/plugin';
import type { Collaborator, EffectivePermissions } from 'hexforge/repositories';
import type { CollaboratorJson, EffectivePermissionsJson } from './schemas.ts';

export const presentCollaborator = ({ user, collaboration, createdAt }: Collaborator): CollaboratorJson => ({
  user: presentUser(user),
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
