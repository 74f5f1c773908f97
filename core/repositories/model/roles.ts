// The role table: each role has its own permissions and those of every lesser role, as contributed by plugins.
import { ValidationFailed } from '#core/kernel/errors';
import type { PermissionDeclaration, PermissionTable } from '#core/kernel/access/permissions';

/** From the least to the greatest. */
export const roles = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
/** A built-in role. */
export type Role = (typeof roles)[number];

/** Whether this is a built-in role. */
export const isRole = (name: string): name is Role => (roles as readonly string[]).includes(name);

/** The role of a collaborator: a built-in one, or a custom one with its permissions. */
export interface Collaboration {
  readonly role: string;
  /** The permissions of a custom role; empty for a built-in role. */
  readonly permissions: readonly string[];
  /** The template from which the permissions were copied. It may have been deleted since. */
  readonly roleTemplateId?: string | undefined;
}

export interface RoleTable {
  of(role: Role): ReadonlySet<string>;
  /** Effective permissions. A custom role keeps the permissions of disabled plugins, but they have no effect. */
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

/**
 * The table of the enabled plugins, created on first use, because the contributions of plugins are not known earlier.
 */
export function lateRoleTable(permissionTable: PermissionTable): () => RoleTable {
  let table: RoleTable | undefined;
  return () => (table ??= roleTable(permissionTable.declarations()));
}

const customName = /^[A-Za-z0-9](?:[A-Za-z0-9 _.-]{0,48}[A-Za-z0-9])?$/;

/**
 * A custom role or template must not have the name of a built-in role, because it would be treated as that role.
 * @throws {ValidationFailed} naming `field`
 */
export function checkCustomRoleName(field: string, name: string): string {
  if (customName.test(name) && ![...roles, 'owner'].includes(name.toLowerCase())) return name;
  throw new ValidationFailed('The name of the role is not allowed', {
    detail: `"${field}" must be 1 to 50 of A-Z a-z 0-9 space . _ -, beginning and ending with a letter or digit, and not "owner" or a built-in role`,
  });
}

/**
 * Checks the permissions of a custom role or template and removes duplicates.
 * @throws {ValidationFailed} for a permission that cannot be given, or an empty list
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
