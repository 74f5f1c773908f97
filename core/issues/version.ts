// A version of what a repository holds: issues are mended in one, and show in others.
import type { Named } from './named.ts';

/** What it has beside its name and description. */
export interface VersionMembers {
  readonly released: boolean;
  /** YYYY-MM-DD; also a day to come. */
  readonly releaseDate: string | null;
}

/** A version of what a repository holds: one that is out, or to come. */
export interface Version extends Named, VersionMembers {}

/** The name of the unique constraint, as `Duplicate` carries it. */
export const versionName = 'issues_version_name';
