// The role table of document D, "Repositories": each role has its own permissions and those of every lesser role, as
// plugins contributed them.
import { ValidationFailed } from '#core/kernel/errors';
import type { PermissionDeclaration, PermissionTable } from '#core/kernel/permissions';

/** From the least to the greatest. */
export const roles = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
/** A role of the table. */
export type Role = (typeof roles)[number];

/** Whether this is a role of the table. */
export const isRole = (name: string): name is Role => (roles as readonly string[]).includes(name);

/** What a collaborator was given: a role of the table, or a custom one with the permissions it carries. */
export interface Collaboration {
  readonly role: string;
  /** Of a custom role; empty for one of the table. */
  readonly permissions: readonly string[];
  /** Where the permissions are a copy of this template's; it may be gone since. */
  readonly roleTemplateId?: string | undefined;
}

export interface RoleTable {
  of(role: Role): ReadonlySet<string>;
  /** Effective permissions. Those of disabled plugins are kept in a custom role and have no effect. */
  permissionsOf(collaboration: Collaboration): ReadonlySet<string>;
}

export function roleTable(declarations: readonly PermissionDeclaration[]): RoleTable {
  const table = new Map<Role, ReadonlySet<string>>(
    roles.map((role, rank) => [
      role,
      new Set(
        declarations.filter(({ from }) => from !== 'owner' && roles.indexOf(from) <= rank).map(({ name }) => name),
      ),
    ]),
  );
  const none: ReadonlySet<string> = new Set();
  const of = (role: Role): ReadonlySet<string> => table.get(role) ?? none;
  return {
    of,
    permissionsOf: ({ role, permissions }) =>
      isRole(role) ? of(role) : new Set([...of('admin')].filter((name) => permissions.includes(name))),
  };
}

/** The table of the enabled plugins, made when it is first asked for: what they contribute is known only then. */
export function lateRoleTable(permissionTable: PermissionTable): () => RoleTable {
  let table: RoleTable | undefined;
  return () => (table ??= roleTable(permissionTable.declarations()));
}

const customName = /^[A-Za-z0-9](?:[A-Za-z0-9 _.-]{0,48}[A-Za-z0-9])?$/;

/**
 * A custom role or template is never called like a role of the table: by that name it would be one. @throws
 * {ValidationFailed} naming `field`
 */
export function checkCustomRoleName(field: string, name: string): string {
  if (customName.test(name) && ![...roles, 'owner'].includes(name.toLowerCase())) return name;
  throw new ValidationFailed('The name of the role is not allowed', {
    detail: `"${field}" must be 1 to 50 of A-Z a-z 0-9 space . _ -, beginning and ending with a letter or digit, and not "owner" or a built-in role`,
  });
}

/**
 * Permissions of a custom role or template, each once. @throws {ValidationFailed} for one that cannot be given, or none
 * at all
 */
export function checkPermissions(table: RoleTable, permissions: readonly string[]): readonly string[] {
  const known = table.of('admin');
  const unknown = permissions.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new ValidationFailed('Unknown permission', {
      detail: `"permissions" names "${unknown}"; known are ${[...known].join(', ')}`,
    });
  if (permissions.length === 0)
    throw new ValidationFailed('A role needs permissions', { detail: '"permissions" must name at least one' });
  return [...new Set(permissions)];
}
