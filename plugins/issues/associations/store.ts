// Which components and versions issues are about, in PostgreSQL.
import { rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
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

    async replace(issueId, association, ids) {
      const em = database.em();
      if (association === 'components') {
        await em.nativeDelete(IssueComponentTable, { issueId });
        const links = ids.map((componentId) => ({ issueId, componentId }));
        if (links.length > 0) await em.insertMany(IssueComponentTable, links);
      } else {
        const kind = association === 'fixVersions' ? 'fix' : 'affects';
        await em.nativeDelete(IssueVersionTable, { issueId, kind });
        const links = ids.map((versionId) => ({ issueId, kind, versionId }) as const);
        if (links.length > 0) await em.insertMany(IssueVersionTable, links);
      }
    },
  } satisfies AssociationStore;
}
