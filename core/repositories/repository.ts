// A repository's record and the rules that hold for it: names, visibility, issue codes.
import { ValidationFailed } from '#core/kernel/errors';

/** Document B, "What the service does": who may read. */
export const visibilities = ['public', 'internal', 'private'] as const;
/** Who may read a repository that they were given no role in. */
export type Visibility = (typeof visibilities)[number];

/** The record of a repository. */
export interface Repository {
  readonly id: string;
  readonly ownerId: string;
  /** The owner's username as it is written now. */
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly defaultBranch: string;
  /** The project key that numbers issues; '' where there is none. */
  readonly issueCode: string;
  readonly createdAt: Date;
  /** When the record was last changed or the repository last pushed to. */
  readonly updatedAt: Date;
}

/** A folder of this name cannot be made on Windows, so such a repository could not be cloned there. */
const device = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$/i;
const nameShape = /^[A-Za-z0-9][A-Za-z0-9\-_.]{0,99}$/;

/** Document D, "Accounts, sessions, tokens": the character rule of usernames, up to 100 characters. */
export function isRepositoryName(name: string): boolean {
  return nameShape.test(name) && !/(\.git|\.)$/i.test(name) && !device.test(name);
}

/** The name of a repository, if it is allowed. @throws {ValidationFailed} */
export function checkName(name: string): string {
  if (isRepositoryName(name)) return name;
  throw new ValidationFailed('The repository name is not allowed', {
    detail:
      '"name" must be 1 to 100 of A-Z a-z 0-9 - _ . starting with a letter or digit, not ending in ".git" or ".", and no device name of Windows',
  });
}

/** Names are compared case-insensitively under this key. */
export const nameKey = (name: string): string => name.toLowerCase();

/** The most characters of a description. */
export const maxDescription = 1000;

/** The description, if it is allowed. @throws {ValidationFailed} */
export function checkDescription(description: string): string {
  // U+0000 cannot be stored in PostgreSQL's text.
  if (description.length <= maxDescription && !description.includes('\u0000')) return description;
  throw new ValidationFailed('The description is not allowed', {
    detail: `"description" must be at most ${maxDescription} characters and hold no NUL`,
  });
}

/** Document B, "PATCH /repos/{owner}/{repo}". */
export function checkIssueCode(code: string): string {
  if (code === '' || /^[A-Z][A-Z0-9]{1,9}$/.test(code)) return code;
  throw new ValidationFailed('The issue code is not allowed', {
    detail: '"issue_code" must be 2 to 10 of A-Z 0-9 beginning with a letter, or empty',
  });
}

/** Whether nobody may read the one who may not read the other by visibility alone. */
export function isAtMostAsVisible(visibility: Visibility, than: Visibility): boolean {
  return visibilities.indexOf(visibility) >= visibilities.indexOf(than);
}

/** What a body says of the visibility. */
export interface VisibilityWish {
  readonly visibility?: Visibility | undefined;
  /** The deprecated mirror; ignored when `visibility` is set. */
  readonly isPrivate?: boolean | undefined;
}

/**
 * What a body's `visibility` and `is_private` come to. An `isPrivate` that says what holds already changes nothing, so
 * that a client writing back what it read does not turn an internal repository public.
 */
export function wishedVisibility(wish: VisibilityWish, current: Visibility): Visibility {
  if (wish.visibility !== undefined) return wish.visibility;
  if (wish.isPrivate === undefined || wish.isPrivate === (current === 'private')) return current;
  return wish.isPrivate ? 'private' : 'public';
}
