// A user group: its names and role, and which ones every instance has (document C, "User-group record").
import { Unprocessable, ValidationFailed } from '#core/kernel/errors';

/** What a group is made for. `instance_admin` has the budgets of administrators; it gives nobody the flag of one. */
export const groupRoles = ['member', 'instance_admin'] as const;
/** Which budgets a group has by default. */
export type GroupRole = (typeof groupRoles)[number];

/** A named set of users, on which budgets hang. */
export interface UserGroup {
  readonly id: string;
  /** Made from the name; unique. */
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
 * The ids of the groups that every instance has. Their members follow from accounts: nobody is in `anonymous`, which
 * stands for callers without a credential; everybody is in `general`; who has the super-admin flag is in `admin`.
 */
export const seededGroups = {
  anonymous: '00000000-0000-4000-9000-000000000001',
  general: '00000000-0000-4000-9000-000000000002',
  admin: '00000000-0000-4000-9000-000000000003',
} as const;

/** In UTF-16 units. */
export const groupLimits = { name: 100, description: 1000 } as const;
/** How many groups an instance has at most. */
export const maxGroups = 500;

/** Names are compared in this form. */
export const groupNameKey = (name: string): string => name.toLowerCase();

/** A name, and the slug that follows from it. @throws {ValidationFailed} where it has no letter and no digit. */
export function groupName(name: string): Pick<UserGroup, 'name' | 'slug'> {
  const refuse = (detail: string): ValidationFailed => new ValidationFailed('The group is not valid', { detail });
  const trimmed = name.trim();
  if (trimmed.length > groupLimits.name) throw refuse(`"name" has at most ${groupLimits.name} characters`);
  if (/\p{Cc}/u.test(trimmed)) throw refuse('"name" is one line of text');
  const words =
    trimmed
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (!words.some((word) => /[\p{L}\p{N}]/u.test(word))) throw refuse('"name" has at least one letter or digit');
  return { name: trimmed, slug: words.join('-') };
}

/** @throws {Unprocessable} for a role that there is not. */
export function groupRole(role: string): GroupRole {
  const known = groupRoles.find((name) => name === role);
  if (known === undefined)
    throw new Unprocessable('There is no such group role', { detail: `"role" is ${groupRoles.join(' or ')}` });
  return known;
}
