// A version of the project in a repository. Issues occur in versions and are fixed in versions.
import type { Named } from './named.ts';

/** The members other than name and description. */
export interface VersionMembers {
  readonly released: boolean;
  /** YYYY-MM-DD. May be in the future. */
  readonly releaseDate: string | null;
}

/** A released or planned version of the project in a repository. */
export interface Version extends Named, VersionMembers {}

/** The name of the unique constraint, as in `Duplicate`. */
export const versionName = 'issues_version_name';
