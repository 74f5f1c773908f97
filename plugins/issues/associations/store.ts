// The store of the components and versions of issues, in PostgreSQL.
import { Unprocessable, columnsOf, rawSql, storeOf, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import { type Associations, type AssociationStore, type Component, type Version } from 'hexforge/issues';
import { batchesOf } from './batches.ts';
import { ComponentTable, issueComponentRows, issueVersionRows, VersionTable, type IssuesRows } from '../tables.ts';

/**
 * The most associations of one page of issues. Each takes at least 80 bytes of JSON, and a response has at most 16 MiB.
 */
const mostLinks = 100_000;

/** The most associations that are read and converted at a time. */
const mostAtOnce = 7500;

/** Uses one parameter for any number of ids. */
const anyOf = (ids: readonly string[]) => rawSql<string>`any(${ids}::uuid[])`;

type Growing = { -readonly [A in keyof Associations]: Associations[A][number][] };

export const associationWrites = storeOf(
  { components: issueComponentRows, versions: issueVersionRows },
  ({ components, versions }) =>
    ({
      replace(issueId, association, ids) {
        if (association === 'components')
          return components.replace(
            { issueId },
            ids.map((componentId) => ({ issueId, componentId })),
          );
        const kind = association === 'fixVersions' ? 'fix' : 'affects';
        return versions.replace(
          { issueId, kind },
          ids.map((versionId) => ({ issueId, kind, versionId })),
        );
      },
    }) satisfies Partial<AssociationStore>,
);

export function sqlAssociationStore(database: SqlDatabase): AssociationStore {
  const db = (): Kysely<IssuesRows> => database.kysely<IssuesRows>();

  const components = (issueIds: readonly string[], most?: number) =>
    db()
      .selectFrom('issues_issue_component as l')
      .innerJoin('issues_component as c', 'c.id', 'l.component_id')
      .select(columnsOf(ComponentTable, 'c', { except: ['description'] }))
      .select('l.issue_id as issueId')
      .where('l.issue_id', '=', anyOf(issueIds))
      .orderBy('c.name_key')
      .$if(most !== undefined, (query) => query.limit(most ?? 0))
      .execute();

  const versions = (issueIds: readonly string[], most?: number) =>
    db()
      .selectFrom('issues_issue_version as l')
      .innerJoin('issues_version as v', 'v.id', 'l.version_id')
      .select(columnsOf(VersionTable, 'v', { except: ['description'] }))
      .select(['l.issue_id as issueId', 'l.kind'])
      .where('l.issue_id', '=', anyOf(issueIds))
      .orderBy('v.name_key')
      .$if(most !== undefined, (query) => query.limit(most ?? 0))
      .execute();

  const linksOf = (issueIds: readonly string[], most?: number) =>
    Promise.all([components(issueIds, most), versions(issueIds, most)]);

  /** The number of associations of each issue that has any. */
  const counts = async (issueIds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const of = (table: 'issues_issue_component' | 'issues_issue_version') =>
      db().selectFrom(table).select('issue_id').where('issue_id', '=', anyOf(issueIds));
    const rows = await db()
      .selectFrom(of('issues_issue_component').unionAll(of('issues_issue_version')).as('l'))
      .select(({ fn }) => ['l.issue_id as id', fn.countAll<number>().as('count')])
      .groupBy('l.issue_id')
      .execute();
    return new Map(rows.map(({ id, count }) => [id, count]));
  };

  /** Issues whose associations are read together, if there are too many to read all at once. */
  const batches = async (issueIds: readonly string[]): Promise<readonly (readonly string[])[]> => {
    const counted = await counts(issueIds);
    if ([...counted.values()].reduce((sum, count) => sum + count, 0) > mostLinks)
      throw new Unprocessable('The answer is too large', {
        detail: `Its issues would name more than ${mostLinks} components and versions; ask for a smaller page`,
      });
    return batchesOf(counted, mostAtOnce);
  };

  /** Reads each description once, even if many issues have the same component or version. */
  const descriptionsIn = (table: 'issues_component' | 'issues_version') => {
    const known = new Map<string, string>();
    return async (things: readonly { readonly id: string }[]) => {
      const ids = [...new Set(things.map(({ id }) => id))].filter((id) => !known.has(id));
      const rows =
        ids.length === 0
          ? []
          : await db().selectFrom(table).select(['id', 'description']).where('id', '=', anyOf(ids)).execute();
      for (const { id, description } of rows) known.set(id, description);
      return ({ id }: { readonly id: string }): string => known.get(id) ?? '';
    };
  };

  return {
    ...associationWrites.sql(database),
    async of(issueIds) {
      const found = new Map<string, Growing>(
        issueIds.map((id) => [id, { components: [], fixVersions: [], affectsVersions: [] }]),
      );
      if (issueIds.length === 0) return found;
      const [descriptionsOfComponents, descriptionsOfVersions] = [
        descriptionsIn('issues_component'),
        descriptionsIn('issues_version'),
      ];
      const all = await linksOf(issueIds, mostAtOnce / 2 + 1);
      const isWhole = all.every((links) => links.length <= mostAtOnce / 2);
      // Other requests are handled between two batches.
      for (const batch of isWhole ? [issueIds] : await batches(issueIds)) {
        const [itsComponents, itsVersions] = isWhole ? all : await linksOf(batch);
        const [ofComponent, ofVersion] = await Promise.all([
          descriptionsOfComponents(itsComponents),
          descriptionsOfVersions(itsVersions),
        ]);
        for (const { issueId, ...component } of itsComponents)
          found
            .get(issueId)
            ?.components.push({ ...component, description: ofComponent(component) } satisfies Component);
        for (const { issueId, kind, ...version } of itsVersions)
          found.get(issueId)?.[kind === 'fix' ? 'fixVersions' : 'affectsVersions'].push({
            ...version,
            description: ofVersion(version),
          } satisfies Version);
      }
      return found;
    },
  } satisfies AssociationStore;
}
