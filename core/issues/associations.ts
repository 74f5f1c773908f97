// Which components and versions of its repository an issue is about (document B, "Issue object" and "Create").
import { ValidationFailed } from '#core/kernel/errors';
import type { Component } from './component.ts';
import type { IssueParts } from './parts.ts';
import type { Version } from './version.ts';

/** What an issue says of them, each list by name. */
export interface Associations {
  readonly components: readonly Component[];
  /** That mend it. */
  readonly fixVersions: readonly Version[];
  /** That show it. */
  readonly affectsVersions: readonly Version[];
}
export type Association = keyof Associations;

/** By the member of a body that names them. */
export const associationFields = {
  components: 'component_ids',
  fixVersions: 'fix_version_ids',
  affectsVersions: 'affects_version_ids',
} as const satisfies Record<Association, string>;

/** The ids of each, where they are to be replaced. */
export type AssociationIds = { readonly [A in Association]?: readonly string[] | undefined };

/** Of an issue without any. */
export const noAssociations: Associations = { components: [], fixVersions: [], affectsVersions: [] };

/** Where associations are kept. */
export interface AssociationStore {
  /** Of all these issues at once; those without any may be missing. */
  of(issueIds: readonly string[]): Promise<ReadonlyMap<string, Associations>>;
  /** Puts these in the place of what is there. @returns how many of the ids the repository has. */
  replace(
    issue: { readonly id: string; readonly repositoryId: string },
    association: Association,
    ids: readonly string[],
  ): Promise<number>;
}

const associations = Object.keys(associationFields) as Association[];

/**
 * Replaces those that are given, in the unit of work of the issue's change. @returns which: to be told of the change.
 * @throws {ValidationFailed} where the repository does not have one of them; the unit of work can only roll back then.
 */
export const replaceAssociations =
  ({ associations: store }: Pick<IssueParts, 'associations'>) =>
  async (
    issue: { readonly id: string; readonly repositoryId: string },
    given: AssociationIds,
  ): Promise<readonly Association[]> => {
    const replaced = associations.filter((association) => given[association] !== undefined);
    for (const association of replaced) {
      const ids = [...new Set(given[association])];
      if ((await store.replace(issue, association, ids)) < ids.length)
        throw new ValidationFailed('The repository does not have all of these', {
          detail: `"${associationFields[association]}" names one that is not the repository's`,
        });
    }
    return replaced;
  };
