// The user group entity: names, roles, and the built-in groups of every instance.
import { isLonger } from '#core/kernel/characters';
import { Unprocessable, ValidationFailed } from '#core/kernel/errors';

/**
 * The roles of groups. `instance_admin` has the budgets of administrators, but does not make its members
 * administrators.
 */
export const groupRoles = ['member', 'instance_admin'] as const;
/** Determines the default budgets of a group. */
export type GroupRole = (typeof groupRoles)[number];

/** A named set of users. Budgets can be assigned to it. */
export interface UserGroup {
  readonly id: string;
  /** Derived from the name. Unique. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly role: GroupRole;
  /** Whether it is one of `seededGroups`. */
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * The ids of the built-in groups. Their members are derived from accounts: `anonymous` has no members and represents
 * callers without a credential; all users are in `general`; instance administrators are in `admin`.
 */
export const seededGroups = {
  anonymous: '00000000-0000-4000-9000-000000000001',
  general: '00000000-0000-4000-9000-000000000002',
  admin: '00000000-0000-4000-9000-000000000003',
} as const;

/** In UTF-16 code units. */
export const groupLimits = { name: 100, description: 1000 } as const;
/** The maximum number of groups in an instance. */
export const maxGroups = 500;

/** The form in which names are compared. */
export const groupNameKey = (name: string): string => name.toLowerCase();

/**
 * Returns the trimmed name and its slug. @throws {ValidationFailed} if the name has no letter and no digit, or is
 * invalid.
 */
export function groupName(name: string): Pick<UserGroup, 'name' | 'slug'> {
  const refuse = (detail: string): ValidationFailed => new ValidationFailed('The group is not valid', { detail });
  const trimmed = name.trim();
  if (isLonger(trimmed, groupLimits.name)) throw refuse(`"name" has at most ${groupLimits.name} characters`);
  if (/\p{Cc}/u.test(trimmed)) throw refuse('"name" is one line of text');
  const words =
    trimmed
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (!words.some((word) => /[\p{L}\p{N}]/u.test(word))) throw refuse('"name" has at least one letter or digit');
  return { name: trimmed, slug: words.join('-') };
}

/** @throws {Unprocessable} for an unknown role. */
export function groupRole(role: string): GroupRole {
  const known = groupRoles.find((name) => name === role);
  if (known === undefined)
    throw new Unprocessable('There is no such group role', { detail: `"role" is ${groupRoles.join(' or ')}` });
  return known;
}
