// The record of a repository, and the rules for names, visibility and issue codes.
import { isLonger } from '#core/kernel/characters';
import { ValidationFailed } from '#core/kernel/errors';

/** From the most to the least visible. */
export const visibilities = ['public', 'internal', 'private'] as const;
/** The users who can read a repository without a role in it. */
export type Visibility = (typeof visibilities)[number];

/** The record of a repository. */
export interface Repository {
  readonly id: string;
  readonly ownerId: string;
  /** The owner's current username. */
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly defaultBranch: string;
  /** The project key in references to issues, such as `ABC-7`; '' if the repository has no key. */
  readonly issueCode: string;
  readonly createdAt: Date;
  /** The time of the last change of the record or of the last push. */
  readonly updatedAt: Date;
}

/** Windows cannot create a folder with such a name, so the repository could not be cloned there. */
const device = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$/i;
const nameShape = /^[A-Za-z0-9][A-Za-z0-9\-_.]{0,99}$/;

/**
 * The same characters as in usernames, but up to 100 of them, and no name that ends in ".git" or "." or that Windows
 * reserves.
 */
export function isRepositoryName(name: string): boolean {
  return nameShape.test(name) && !/(\.git|\.)$/i.test(name) && !device.test(name);
}

/** Returns the name of a repository if it is allowed. @throws {ValidationFailed} */
export function checkName(name: string): string {
  if (isRepositoryName(name)) return name;
  throw new ValidationFailed('The repository name is not allowed', {
    detail:
      '"name" must be 1 to 100 of A-Z a-z 0-9 - _ . starting with a letter or digit, not ending in ".git" or ".", and no device name of Windows',
  });
}

/** The form in which names are compared: in any case, and however the letters were composed (NFC). */
export const nameKey = (name: string): string => name.toLowerCase().normalize('NFC');

/** The most characters of a description. */
export const maxDescription = 1000;

/** Returns the description if it is allowed. @throws {ValidationFailed} */
export function checkDescription(description: string): string {
  // PostgreSQL cannot store U+0000 in text.
  if (!isLonger(description, maxDescription) && !description.includes('\u0000')) return description;
  throw new ValidationFailed('The description is not allowed', {
    detail: `"description" must be at most ${maxDescription} characters and hold no NUL`,
  });
}

/** Returns the issue code if it is allowed. @throws {ValidationFailed} */
export function checkIssueCode(code: string): string {
  if (code === '' || /^[A-Z][A-Z0-9]{1,9}$/.test(code)) return code;
  throw new ValidationFailed('The issue code is not allowed', {
    detail: '"issue_code" must be 2 to 10 of A-Z 0-9 beginning with a letter, or empty',
  });
}

/** Whether the first visibility admits no reader that the second does not admit. */
export function isAtMostAsVisible(visibility: Visibility, than: Visibility): boolean {
  return visibilities.indexOf(visibility) >= visibilities.indexOf(than);
}

/** The members of a body about visibility. */
export interface VisibilityWish {
  readonly visibility?: Visibility | undefined;
  /** Deprecated. Ignored when `visibility` is set. */
  readonly isPrivate?: boolean | undefined;
}

/**
 * The visibility that results from a body's `visibility` and `is_private`. If `isPrivate` matches the current
 * visibility, nothing changes, so that a client that sends back what it has read does not make an internal repository
 * public.
 */
export function wishedVisibility(wish: VisibilityWish, current: Visibility): Visibility {
  if (wish.visibility !== undefined) return wish.visibility;
  if (wish.isPrivate === undefined || wish.isPrivate === (current === 'private')) return current;
  return wish.isPrivate ? 'private' : 'public';
}
