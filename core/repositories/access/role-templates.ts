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

/** Absent members stay unchanged. */
export interface RoleTemplateChange {
  readonly id: string;
  readonly name?: string | undefined;
  readonly permissions?: readonly string[] | undefined;
}

export function roleTemplateUseCases({ roleTemplates, unitOfWork, events, audit, ids, roleTable }: Parts) {
  /**
   * A template may only contain permissions that its author can give, because another user may give it without a check
   * of its contents.
   */
  const permissionsFor = (granted: Administered, names: readonly string[]): readonly string[] => {
    const permissions = checkPermissions(roleTable(), names);
    checkHeld(granted, permissions);
    return permissions;
  };
  const own = async ({ resource }: Administered, id: string): Promise<RoleTemplate> => {
    const template = await roleTemplates.byId(id);
    if (template === undefined || template.repositoryId !== resource.id)
      throw new NotFound('There is no such role template');
    return template;
  };
  const tell = async (
    { resource: repository, call }: Administered,
    change: 'created' | 'updated' | 'deleted',
    { id, name, permissions }: RoleTemplate,
  ): Promise<void> => {
    const type = `role_template.${change}` as const;
    const template = { role_template_id: id, name };
    const payload = { repository_id: repository.id, ...template };
    await events.emit({ type, ...aboutRepository(repository, call), payload });
    await audit.append(auditEntry(call, type, `repository:${repository.id}`, { ...template, permissions }));
  };

  return {
    list: ({ resource }: Administered): Promise<readonly RoleTemplate[]> => roleTemplates.list(resource.id),

    /** The permissions that the caller may put into a template. */
    permissions: (granted: Administered): readonly string[] =>
      [...roleTable().of('admin')].filter((name) => granted.may(name)),

    /** @throws {ValidationFailed | Forbidden | Conflict} */
    async create(granted: Administered, command: Pick<RoleTemplate, 'name' | 'permissions'>): Promise<RoleTemplate> {
      const { resource: repository, call } = granted;
      const template: RoleTemplate = {
        id: ids.uuid(),
        repositoryId: repository.id,
        name: checkCustomRoleName('name', command.name),
        permissions: permissionsFor(granted, command.permissions),
        createdAt: call.now,
        updatedAt: call.now,
      };
      const write = (): Promise<RoleTemplate> =>
        unitOfWork.run(async () => {
          await roleTemplates.insert(template);
          await tell(granted, 'created', template);
          return template;
        });
      return onDuplicate(write, taken(template.name));
    },

    /**
     * Collaborators who were given the template keep their permissions.
     * @throws {ValidationFailed | Forbidden | NotFound | Conflict}
     */
    async update(granted: Administered, { id, name, permissions }: RoleTemplateChange): Promise<RoleTemplate> {
      const patch = {
        ...(name !== undefined && { name: checkCustomRoleName('name', name) }),
        ...(permissions !== undefined && { permissions: permissionsFor(granted, permissions) }),
      };
      const write = (): Promise<RoleTemplate> =>
        unitOfWork.run(async () => {
          const before = await own(granted, id);
          if (Object.keys(patch).length === 0) return before;
          const after: RoleTemplate = { ...before, ...patch, updatedAt: granted.call.now };
          await roleTemplates.update(id, { ...patch, updatedAt: after.updatedAt });
          await tell(granted, 'updated', after);
          return after;
        });
      return onDuplicate(write, taken(patch.name ?? ''));
    },

    /** @throws {NotFound} */
    delete: (granted: Administered, { id }: { readonly id: string }): Promise<void> =>
      unitOfWork.run(async () => {
        const template = await own(granted, id);
        await roleTemplates.delete(id);
        await tell(granted, 'deleted', template);
      }),
  };
}

const taken = (name: string) => (cause: Duplicate) =>
  new Conflict('The repository has a role template of this name already', {
    detail: `"name": "${name}" is in use; names are compared case-insensitively`,
    cause,
  });
