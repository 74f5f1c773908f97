// Collaborators: lists them, gives and removes roles, and computes effective permissions.
import type { PublicUser, Users } from '#core/identity/index';
import type { Granted } from '#core/kernel/access/access';
import { auditEntry } from '#core/kernel/services/audit';
import type { User } from '#core/kernel/caller';
import { sameMembers } from '#core/kernel/storage/changed';
import { Forbidden, NotFound, ValidationFailed } from '#core/kernel/errors';
import { aboutCollaborator } from '../model/events.ts';
import type { Collaborator } from '../model/collaborator.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { Repository } from '../model/repository.ts';
import { checkCustomRoleName, checkPermissions, isRole, type Collaboration, type RoleTable } from '../model/roles.ts';
import { heldPermissions } from './standing.ts';

export interface CollaboratorCommand {
  readonly username: string;
  readonly role?: string | undefined;
  readonly permissions?: readonly string[] | undefined;
  readonly roleTemplateId?: string | undefined;
}

/** The permissions that a collaborator has in effect, and where they come from. */
export interface EffectivePermissions {
  readonly role: string;
  readonly permissions: readonly string[];
  readonly source: 'role' | 'template' | 'custom';
  readonly roleTemplateId: string | undefined;
}

type Parts = Pick<
  RepositoryParts,
  'store' | 'collaborators' | 'roleTemplates' | 'unitOfWork' | 'events' | 'audit' | 'users'
> & {
  readonly roleTable: () => RoleTable;
};

export function collaboratorUseCases(parts: Parts) {
  const { collaborators, unitOfWork, events, audit, users, roleTable } = parts;
  return {
    /** Each with the permissions of their role. */
    list: async ({ resource }: Granted<Repository, 'repo.read'>): Promise<readonly Collaborator[]> =>
      (await collaborators.list(resource.id)).map((one) => ({
        ...one,
        collaboration: { ...one.collaboration, permissions: [...roleTable().permissionsOf(one.collaboration)] },
      })),

    /** @throws {NotFound} if the user does not exist or is not a collaborator. */
    async effective(
      { resource: repository }: Granted<Repository, 'repo.read'>,
      { username }: { readonly username: string },
    ): Promise<EffectivePermissions> {
      const found = await collaborators.find(repository.id, (await person(users, username)).id);
      if (found === undefined) throw notCollaborating(repository, username);
      const { collaboration } = found;
      const { role, roleTemplateId } = collaboration;
      const held = new Set(
        heldPermissions({ repository, collaboration }, true, roleTable()).flatMap((permissions) => [...permissions]),
      );
      return {
        role,
        permissions: [...roleTable().of('admin')].filter((name) => held.has(name)),
        source: isRole(role) ? 'role' : roleTemplateId === undefined ? 'custom' : 'template',
        roleTemplateId,
      };
    },

    /** @throws {ValidationFailed | Forbidden | NotFound} */
    async put(granted: Granted<Repository, 'repo.admin', User>, command: CollaboratorCommand): Promise<void> {
      const { resource: repository, call } = granted;
      const asked = wished(roleTable(), command);
      const user = await person(users, command.username);
      if (user.id === repository.ownerId)
        throw new ValidationFailed('The owner cannot be a collaborator', {
          detail: `"${user.username}" owns the repository and holds every permission already`,
        });
      const given = 'templateId' in asked ? await snapshot(parts, granted, asked.templateId) : asked;
      checkHeld(granted, roleTable().permissionsOf(given));
      await unitOfWork.run(async () => {
        const before = (await collaborators.find(repository.id, user.id))?.collaboration;
        if (before !== undefined)
          checkHeld(
            granted,
            roleTable().permissionsOf(before),
            `"${user.username}" holds a permission you do not hold`,
          );
        if (before !== undefined && same(before, given)) return;
        await collaborators.put(repository.id, user.id, given, call.now);
        const about = aboutCollaborator(repository, user, call, { role: given.role });
        if (before === undefined) await events.emit({ type: 'collaborator.added', ...about });
        else {
          const payload = { ...about.payload, old_role: before.role };
          await events.emit({ type: 'collaborator.updated', ...about, payload });
        }
        const type = before === undefined ? 'collaborator.added' : 'collaborator.updated';
        await audit.append(
          auditEntry(call, type, `repository:${repository.id}`, {
            user_id: user.id,
            username: user.username,
            role: given.role,
            permissions: given.permissions,
            role_template_id: given.roleTemplateId,
            ...(before !== undefined && { old_role: before.role, old_permissions: before.permissions }),
          }),
        );
      });
    },

    /** @throws {NotFound} if the user does not exist or is not a collaborator. */
    async remove(
      { resource: repository, call }: Granted<Repository, 'repo.own', User>,
      { username }: { readonly username: string },
    ): Promise<void> {
      const user = await person(users, username);
      await unitOfWork.run(async () => {
        const before = (await collaborators.find(repository.id, user.id))?.collaboration;
        if (before === undefined || !(await collaborators.remove(repository.id, user.id)))
          throw notCollaborating(repository, username);
        const { role } = before;
        const type = 'collaborator.removed';
        await events.emit({ type, ...aboutCollaborator(repository, user, call, { role }) });
        const details = { user_id: user.id, username: user.username, role };
        await audit.append(auditEntry(call, type, `repository:${repository.id}`, details));
      });
    },
  };
}

/** Validates the body before anything is read from the database. */
function wished(
  table: RoleTable,
  { role, permissions, roleTemplateId }: CollaboratorCommand,
): Collaboration | { readonly templateId: string } {
  if (roleTemplateId !== undefined) {
    if (role !== undefined || permissions !== undefined)
      throw new ValidationFailed('A template takes the place of a role', {
        detail: '"role_template_id" cannot stand beside "role" or "permissions"',
      });
    return { templateId: roleTemplateId };
  }
  if (role === undefined)
    throw new ValidationFailed('There is no role to give', {
      detail: 'Either "role" or "role_template_id" is required',
    });
  if (!isRole(role)) {
    if (permissions === undefined)
      throw new ValidationFailed('Unknown role', {
        detail: `"role" must be read, triage, write, maintain or admin, or the name of a custom role beside "permissions"; "${role}" is none of these`,
      });
    return { role: checkCustomRoleName('role', role), permissions: checkPermissions(table, permissions) };
  }
  // Permissions that equal those of the role are accepted, so that a client can send back what it has read. Others are
  // rejected, because a built-in role would silently ignore them.
  if (permissions !== undefined && permissions.length > 0 && !sameMembers(permissions, table.of(role)))
    throw new ValidationFailed('A role of the table has permissions of its own', {
      detail: `"permissions" belongs to a custom role; leave it out beside "${role}"`,
    });
  return { role, permissions: [] };
}

/** The current permissions of the template. One of a repository that the caller may not read counts as missing. */
async function snapshot(
  { roleTemplates, store }: Parts,
  { resource: repository, call: { caller } }: Granted<Repository, 'repo.admin', User>,
  id: string,
): Promise<Collaboration> {
  const template = await roleTemplates.byId(id);
  const known =
    template !== undefined &&
    (template.repositoryId === repository.id ||
      caller.isAdmin ||
      (await store.readers(template.repositoryId, [caller.id])).length > 0);
  if (!known) throw new NotFound('There is no such role template', { detail: '"role_template_id" names none' });
  if (template.repositoryId !== repository.id)
    throw new Forbidden('The role template belongs to another repository', {
      detail: '"role_template_id" must name a template of this repository',
    });
  return { role: template.name, permissions: template.permissions, roleTemplateId: template.id };
}

/** A caller can only give or take permissions that they hold themselves. @throws {Forbidden} */
export function checkHeld(
  granted: Granted<Repository, 'repo.admin'>,
  permissions: Iterable<string>,
  message = 'You cannot give a permission you do not hold',
): void {
  const missing = [...permissions].find((name) => !granted.may(name));
  if (missing !== undefined)
    throw new Forbidden(message, {
      detail: `It takes the permission "${missing}", or the owner or an instance administrator`,
    });
}

function same(a: Collaboration, b: Collaboration): boolean {
  return a.role === b.role && a.roleTemplateId === b.roleTemplateId && a.permissions.join() === b.permissions.join();
}

async function person(users: Users, username: string): Promise<PublicUser> {
  const user = await users.byUsername(username);
  if (user === undefined) throw new NotFound('There is no such user', { detail: `"${username}" is no username` });
  return user;
}

const notCollaborating = ({ owner, name }: Repository, username: string): NotFound =>
  new NotFound('Not a collaborator', { detail: `"${username}" is no collaborator of "${owner}/${name}"` });
