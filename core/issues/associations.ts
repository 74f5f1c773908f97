// Which components and versions of its repository an issue is about (document B, "Issue object" and "Create").
import { sameMembers } from '#core/kernel/changed';
import { ValidationFailed } from '#core/kernel/errors';
import type { Rows } from '#core/kernel/rows';
import { nameKey } from '#core/repositories/index';
import type { Component } from './component.ts';
import type { IssueFilter } from './filter.ts';
import type { Issue } from './issue.ts';
import type { Named } from './named.ts';
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
/** One of the things of a repository that an issue is about. */
export type Association = keyof Associations;

/** Of an issue without any. */
export const noAssociations: Associations = { components: [], fixVersions: [], affectsVersions: [] };

/** Member of a command that names them by id → what it associates, and the member of a body. */
const named = {
  componentIds: ['components', 'component_ids'],
  fixVersionIds: ['fixVersions', 'fix_version_ids'],
  affectsVersionIds: ['affectsVersions', 'affects_version_ids'],
} as const satisfies Record<string, readonly [Association, string]>;

/** Those that are there, even empty, replace the ones before. */
export type AssociationIds = { readonly [M in keyof typeof named]?: readonly string[] | undefined };

const members = Object.keys(named) as (keyof typeof named)[];

/** Where associations are kept. */
export interface AssociationStore {
  /** Of all these issues, in as many queries as of one; those without any may be missing. */
  of(issueIds: readonly string[]): Promise<ReadonlyMap<string, Associations>>;
  /**
   * Puts these in the place of what is there. The ids differ, and the issue is held by the unit of work or made in it.
   */
  replace(issueId: string, association: Association, ids: readonly string[]): Promise<void>;
}

type Parts = Pick<IssueParts, 'associations'>;

/** Of those given, what is otherwise in the issue. */
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

/** Inside the unit of work, after the issue is written. @throws {ValidationFailed} where its repository lacks one. */
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

/** What a list asks for of them, by name in any case. */
export interface AssociationNames {
  readonly component?: string | undefined;
  readonly fixVersion?: string | undefined;
  readonly affectsVersion?: string | undefined;
}

/** By id. @returns undefined where the repository lacks one of that name, so that no issue has it. */
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
