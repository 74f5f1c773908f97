// Components and versions: the named things of a repository that issues refer to.
import { itemName, type NamedItem } from '#core/repositories/index';

/** The members that components and versions have in common. */
export interface Named extends NamedItem {
  readonly description: string;
}

/** A part of the project in a repository. */
export interface Component extends Named {}

/** The members of a version other than name and description. */
export interface VersionMembers {
  readonly released: boolean;
  /** YYYY-MM-DD. May be in the future. */
  readonly releaseDate: string | null;
}

/** A released or planned version of the project in a repository. Issues occur in versions and are fixed in versions. */
export interface Version extends Named, VersionMembers {}

/** The unique constraint of the names of components, as in `Duplicate`. */
export const componentName = 'issues_component_name';
/** The unique constraint of the names of versions, as in `Duplicate`. */
export const versionName = 'issues_version_name';

/** The most characters of a name. */
export const maxNamedName = 100;
/** The most characters of a description. */
export const maxNamedDescription = 1000;

/** @throws {ValidationFailed} */
export const named = (name: string): Pick<Named, 'name' | 'nameKey'> => itemName(name, maxNamedName);
