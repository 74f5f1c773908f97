// The store of the components and versions of issues, in PostgreSQL.
import { Unprocessable, columnsOf, rawSql, storeOf, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import type { Associations, AssociationStore, Component, Version } from 'hexforge/issues';
import { ComponentTable, issueComponentRows, issueVersionRows, VersionTable, type IssuesRows } from '../tables.ts';

/**
 * The most associations of one page of issues. Each takes at least 80 bytes of JSON, and a response has at most 16 MiB.
 */
const mostLinks = 100_000;

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

  const components = (issueIds: readonly string[]) =>
    db()
      .selectFrom('issues_issue_component as l')
      .innerJoin('issues_component as c', 'c.id', 'l.component_id')
      .select(columnsOf(ComponentTable, 'c', { except: ['description'] }))
      .select('l.issue_id as issueId')
      .where('l.issue_id', '=', anyOf(issueIds))
      .orderBy('c.name_key')
      .limit(mostLinks + 1)
      .execute();

  const versions = (issueIds: readonly string[]) =>
    db()
      .selectFrom('issues_issue_version as l')
      .innerJoin('issues_version as v', 'v.id', 'l.version_id')
      .select(columnsOf(VersionTable, 'v', { except: ['description'] }))
      .select(['l.issue_id as issueId', 'l.kind'])
      .where('l.issue_id', '=', anyOf(issueIds))
      .orderBy('v.name_key')
      .limit(mostLinks + 1)
      .execute();

  /** Reads each description once, even if many issues have the same component or version. */
  const descriptions = async (table: 'issues_component' | 'issues_version', things: readonly { id: string }[]) => {
    const ids = [...new Set(things.map(({ id }) => id))];
    const rows =
      ids.length === 0
        ? []
        : await db().selectFrom(table).select(['id', 'description']).where('id', '=', anyOf(ids)).execute();
    const byId = new Map(rows.map(({ id, description }) => [id, description]));
    return ({ id }: { readonly id: string }): string => byId.get(id) ?? '';
  };

  return {
    ...associationWrites.sql(database),
    async of(issueIds) {
      const found = new Map<string, Growing>(
        issueIds.map((id) => [id, { components: [], fixVersions: [], affectsVersions: [] }]),
      );
      if (issueIds.length === 0) return found;
      const [itsComponents, itsVersions] = await Promise.all([components(issueIds), versions(issueIds)]);
      if (itsComponents.length + itsVersions.length > mostLinks)
        throw new Unprocessable('The answer is too large', {
          detail: `Its issues would name more than ${mostLinks} components and versions; ask for a smaller page`,
        });
      const [ofComponent, ofVersion] = await Promise.all([
        descriptions('issues_component', itsComponents),
        descriptions('issues_version', itsVersions),
      ]);
      for (const { issueId, ...component } of itsComponents)
        found.get(issueId)?.components.push({ ...component, description: ofComponent(component) } satisfies Component);
      for (const { issueId, kind, ...version } of itsVersions)
        found.get(issueId)?.[kind === 'fix' ? 'fixVersions' : 'affectsVersions'].push({
          ...version,
          description: ofVersion(version),
        } satisfies Version);
      return found;
    },
  } satisfies AssociationStore;
}
