// Which components and versions issues are about, in PostgreSQL.
import { rawSql, replaceRows, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import type { Associations, AssociationStore, Component, Version } from 'hexforge/issues';
import { IssueComponentTable, IssueVersionTable, type IssuesRows } from '../tables.ts';

/** One parameter, however many there are. */
const anyOf = (ids: readonly string[]) => rawSql<string>`any(${ids}::uuid[])`;

type Growing = { -readonly [A in keyof Associations]: Associations[A][number][] };

export function sqlAssociationStore(database: SqlDatabase): AssociationStore {
  const db = (): Kysely<IssuesRows> => database.kysely<IssuesRows>();

  const components = (issueIds: readonly string[]) =>
    db()
      .selectFrom('issues_issue_component as l')
      .innerJoin('issues_component as c', 'c.id', 'l.component_id')
      .select([
        'l.issue_id as issueId',
        'c.id',
        'c.repository_id as repositoryId',
        'c.name',
        'c.name_key as nameKey',
        'c.description',
      ])
      .where('l.issue_id', '=', anyOf(issueIds))
      .orderBy('c.name_key')
      .execute();

  const versions = (issueIds: readonly string[]) =>
    db()
      .selectFrom('issues_issue_version as l')
      .innerJoin('issues_version as v', 'v.id', 'l.version_id')
      .select([
        'l.issue_id as issueId',
        'l.kind',
        'v.id',
        'v.repository_id as repositoryId',
        'v.name',
        'v.name_key as nameKey',
        'v.description',
        'v.released',
        'v.release_date as releaseDate',
      ])
      .where('l.issue_id', '=', anyOf(issueIds))
      .orderBy('v.name_key')
      .execute();

  return {
    async of(issueIds) {
      const found = new Map<string, Growing>(
        issueIds.map((id) => [id, { components: [], fixVersions: [], affectsVersions: [] }]),
      );
      if (issueIds.length === 0) return found;
      const [itsComponents, itsVersions] = await Promise.all([components(issueIds), versions(issueIds)]);
      for (const { issueId, ...component } of itsComponents)
        found.get(issueId)?.components.push(component satisfies Component);
      for (const { issueId, kind, ...version } of itsVersions)
        found.get(issueId)?.[kind === 'fix' ? 'fixVersions' : 'affectsVersions'].push(version satisfies Version);
      return found;
    },

    replace(issueId, association, ids) {
      if (association === 'components') {
        const components = ids.map((componentId) => ({ componentId }));
        return replaceRows(database.em(), IssueComponentTable, { issueId }, components);
      }
      const kind = association === 'fixVersions' ? 'fix' : 'affects';
      const versions = ids.map((versionId) => ({ versionId }));
      return replaceRows(database.em(), IssueVersionTable, { issueId, kind }, versions);
    },
  } satisfies AssociationStore;
}
