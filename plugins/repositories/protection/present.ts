// Converts branch protection to JSON and back.
import type { Protection } from 'hexforge/repositories';
import type { ProtectionBody, ProtectionJson } from './schemas.ts';

export const presentProtection = (protection: Protection): ProtectionJson => ({
  allow_force_push: protection.allowForcePush,
  allow_deletion: protection.allowDeletion,
  push_roles: protection.pushRoles,
  required_approvals: protection.requiredApprovals,
  required_pipeline: {
    on_open: protection.requiredPipeline.onOpen,
    on_merge: protection.requiredPipeline.onMerge,
  },
});

/** Renames the present members of a body to those of the command. Absent ones get their default. */
export const wishedProtection = (body: ProtectionBody): Partial<Protection> => ({
  ...(body.allow_force_push !== undefined && { allowForcePush: body.allow_force_push }),
  ...(body.allow_deletion !== undefined && { allowDeletion: body.allow_deletion }),
  ...(body.push_roles !== undefined && { pushRoles: body.push_roles }),
  ...(body.required_approvals !== undefined && { requiredApprovals: body.required_approvals }),
  ...(body.required_pipeline !== undefined && {
    requiredPipeline: {
      onOpen: body.required_pipeline.on_open ?? false,
      onMerge: body.required_pipeline.on_merge ?? false,
    },
  }),
});
