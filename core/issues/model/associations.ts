// Associations of an issue: the components and versions of its repository that it refers to.
import { sameMembers } from '#core/kernel/storage/changed';
import { ValidationFailed } from '#core/kernel/errors';
import type { Rows } from '#core/kernel/storage/rows';
import { nameKey } from '#core/repositories/index';
import type { IssueFilter } from './filter.ts';
import type { Issue } from './issue.ts';
import type { Component, Named, Version } from './named.ts';
import type { IssueParts } from './parts.ts';

/** The associations of an issue. Each list is sorted by name. */
export interface Associations {
  readonly components: readonly Component[];
  /** Versions that fix the issue. */
  readonly fixVersions: readonly Version[];
  /** Versions in which the issue occurs. */
  readonly affectsVersions: readonly Version[];
}
/** One kind of association. */
export type Association = keyof Associations;

/** The associations of an issue that has none. */
export const noAssociations: Associations = { components: [], fixVersions: [], affectsVersions: [] };

/** Maps each id list of a command to the association it sets and to the name of the list in the request body. */
const named = {
  componentIds: ['components', 'component_ids'],
  fixVersionIds: ['fixVersions', 'fix_version_ids'],
  affectsVersionIds: ['affectsVersions', 'affects_version_ids'],
} as const satisfies Record<string, readonly [Association, string]>;

/** The id lists of a command. A list that is present, even an empty one, replaces the existing associations. */
export type AssociationIds = { readonly [M in keyof typeof named]?: readonly string[] | undefined };

const members = Object.keys(named) as (keyof typeof named)[];

/** Stores the associations of issues. */
export interface AssociationStore {
  /**
   * Reads the associations of all given issues. The number of queries grows with the associations, not with the issues.
   * Issues without any may be missing.
   */
  of(issueIds: readonly string[]): Promise<ReadonlyMap<string, Associations>>;
  /**
   * Replaces the existing associations. The ids must be distinct, and the issue must be locked or created by the
   * current unit of work.
   */
  replace(issueId: string, association: Association, ids: readonly string[]): Promise<void>;
}

type Parts = Pick<IssueParts, 'associations'>;

/** The given lists that differ from the stored associations. */
export async function changedAssociations(
  { associations }: Parts,
  { id }: Pick<Issue, 'id'>,
  given: AssociationIds,
): Promise<AssociationIds> {
  const present = members.filter((member) => given[member] !== undefined);
  if (present.length === 0) return {};
  const before = (await associations.of([id])).get(id);
  return Object.fromEntries(
    present
      .filter((member) => {
        const had = before?.[named[member][0]].map(({ id: thingId }) => thingId);
        return !sameMembers(had ?? [], given[member] ?? []);
      })
      .map((member) => [member, given[member]]),
  );
}

/**
 * Runs inside the unit of work, after the issue is written.
 * @throws {ValidationFailed} if the repository does not have one of the ids.
 */
export async function replaceAssociations(
  parts: Pick<IssueParts, 'associations' | 'components' | 'versions'>,
  { id: issueId, repositoryId }: Pick<Issue, 'id' | 'repositoryId'>,
  given: AssociationIds,
): Promise<void> {
  for (const member of members) {
    if (given[member] === undefined) continue;
    const [association, field] = named[member];
    const ids = [...new Set(given[member])];
    const rows: Pick<Rows<Named>, 'find'> = association === 'components' ? parts.components : parts.versions;
    const known = await rows.find({ where: { repositoryId }, among: { id: ids }, orderBy: ['id'] }, 'held');
    const unknown = ids.find((id) => !known.some((thing) => thing.id === id));
    if (unknown !== undefined)
      throw new ValidationFailed('An issue is about components and versions of its own repository', {
        detail: `"${field}" names "${unknown}", which the repository does not have`,
      });
    await parts.associations.replace(issueId, association, ids);
  }
}

/** Names by which a list of issues can be filtered. They are compared case-insensitively. */
export interface AssociationNames {
  readonly component?: string | undefined;
  readonly fixVersion?: string | undefined;
  readonly affectsVersion?: string | undefined;
}

/**
 * Resolves names to ids.
 * @returns undefined if the repository has no component or version with a given name, so that no issue can match.
 */
export async function associationFilter(
  { components, versions }: Pick<IssueParts, 'components' | 'versions'>,
  repositoryId: string,
  { component, fixVersion, affectsVersion }: AssociationNames,
): Promise<Pick<IssueFilter, 'componentId' | 'fixVersionId' | 'affectsVersionId'> | undefined> {
  const filter: Record<string, string> = {};
  for (const [member, rows, name] of [
    ['componentId', components, component],
    ['fixVersionId', versions, fixVersion],
    ['affectsVersionId', versions, affectsVersion],
  ] as const) {
    if (name === undefined) continue;
    const one = await rows.findOne({ repositoryId, nameKey: nameKey(name) });
    if (one === undefined) return undefined;
    filter[member] = one.id;
  }
  return filter;
}
