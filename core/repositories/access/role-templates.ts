// Role templates: named sets of permissions that a repository's administrators define and give to collaborators.
import type { Granted } from '#core/kernel/access/access';
import { auditEntry } from '#core/kernel/services/audit';
import type { User } from '#core/kernel/caller';
import { Conflict, NotFound, onDuplicate, type Duplicate } from '#core/kernel/errors';
import { checkHeld } from './collaborators.ts';
import { aboutRepository } from '../model/events.ts';
import type { RoleTemplate } from '../model/role-template.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { Repository } from '../model/repository.ts';
import { checkCustomRoleName, checkPermissions, type RoleTable } from '../model/roles.ts';

type Parts = Pick<RepositoryParts, 'roleTemplates' | 'unitOfWork' | 'events' | 'audit' | 'ids'> & {
  readonly roleTable: () => RoleTable;
};
type Administered = Granted<Repository, 'repo.admin', User>;
type Change = 'created' | 'updated' | 'deleted';

export const listRoleTemplates =
  ({ roleTemplates }: Parts) =>
  ({ resource }: Administered): Promise<readonly RoleTemplate[]> =>
    roleTemplates.list(resource.id);

/** @throws {ValidationFailed | Forbidden | Conflict} */
export const createRoleTemplate =
  (parts: Parts) =>
  async (granted: Administered, command: Pick<RoleTemplate, 'name' | 'permissions'>): Promise<RoleTemplate> => {
    const { resource: repository, call } = granted;
    const template: RoleTemplate = {
      id: parts.ids.uuid(),
      repositoryId: repository.id,
      name: checkCustomRoleName('name', command.name),
      permissions: permissionsFor(parts, granted, command.permissions),
      createdAt: call.now,
      updatedAt: call.now,
    };
    await onDuplicate(
      () =>
        parts.unitOfWork.run(async () => {
          await parts.roleTemplates.insert(template);
          await tell(parts, granted, 'created', template);
        }),
      taken(template.name),
    );
    return template;
  };

/**
 * Collaborators who were given the template keep their permissions.
 * @throws {ValidationFailed | Forbidden | NotFound | Conflict}
 */
export const updateRoleTemplate =
  (parts: Parts) =>
  async (
    granted: Administered,
    {
      id,
      ...command
    }: {
      readonly id: string;
      readonly name?: string | undefined;
      readonly permissions?: readonly string[] | undefined;
    },
  ): Promise<RoleTemplate> => {
    const patch = {
      ...(command.name !== undefined && { name: checkCustomRoleName('name', command.name) }),
      ...(command.permissions !== undefined && { permissions: permissionsFor(parts, granted, command.permissions) }),
    };
    return onDuplicate(
      () =>
        parts.unitOfWork.run(async () => {
          const before = await own(parts, granted, id);
          if (Object.keys(patch).length === 0) return before;
          const after: RoleTemplate = { ...before, ...patch, updatedAt: granted.call.now };
          await parts.roleTemplates.update(id, { ...patch, updatedAt: after.updatedAt });
          await tell(parts, granted, 'updated', after);
          return after;
        }),
      taken(patch.name ?? ''),
    );
  };

/** @throws {NotFound} */
export const deleteRoleTemplate =
  (parts: Parts) =>
  (granted: Administered, { id }: { readonly id: string }): Promise<void> =>
    parts.unitOfWork.run(async () => {
      const template = await own(parts, granted, id);
      await parts.roleTemplates.delete(id);
      await tell(parts, granted, 'deleted', template);
    });

/**
 * A template may only contain permissions that its author can give, because another user may give it without a check of
 * its contents.
 */
function permissionsFor({ roleTable }: Parts, granted: Administered, names: readonly string[]): readonly string[] {
  const permissions = checkPermissions(roleTable(), names);
  checkHeld(granted, permissions);
  return permissions;
}

async function own({ roleTemplates }: Parts, { resource }: Administered, id: string): Promise<RoleTemplate> {
  const template = await roleTemplates.byId(id);
  if (template === undefined || template.repositoryId !== resource.id)
    throw new NotFound('There is no such role template');
  return template;
}

async function tell(
  { events, audit }: Parts,
  { resource: repository, call }: Administered,
  change: Change,
  { id, name, permissions }: RoleTemplate,
): Promise<void> {
  const type = `role_template.${change}` as const;
  const template = { role_template_id: id, name };
  const payload = { repository_id: repository.id, ...template };
  await events.emit({ type, ...aboutRepository(repository, call), payload });
  await audit.append(auditEntry(call, type, `repository:${repository.id}`, { ...template, permissions }));
}

const taken = (name: string) => (cause: Duplicate) =>
  new Conflict('The repository has a role template of this name already', {
    detail: `"name": "${name}" is in use; names are compared case-insensitively`,
    cause,
  });
