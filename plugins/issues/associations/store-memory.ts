// Which components and versions issues are about, in memory.
import type { MemoryDatabase, MemoryTable } from 'hexforge/plugin';
import type { Association, AssociationStore, Named } from 'hexforge/issues';
import { componentTable, issueTable, versionTable } from '../tables-memory.ts';

interface Link {
  readonly issueId: string;
  readonly thingId: string;
}

export function memoryAssociationStore(database: MemoryDatabase): AssociationStore {
  issueTable(database);
  const association = <T extends Named>(name: Association, table: string, things: MemoryTable<T>) => {
    const links = database.table<Link>(`issues_issue_${name}`, {
      key: ['issueId', 'thingId'],
      references: {
        issueId: { table: 'issues_issue', onDelete: 'cascade' },
        thingId: { table, onDelete: 'cascade' },
      },
    });
    return { things, links };
  };
  const kinds = {
    components: association('components', 'issues_component', componentTable(database)),
    fixVersions: association('fixVersions', 'issues_version', versionTable(database)),
    affectsVersions: association('affectsVersions', 'issues_version', versionTable(database)),
  } satisfies Record<Association, unknown>;
  const linked = <T extends Named>(
    { links, things }: { readonly links: MemoryTable<Link>; readonly things: MemoryTable<T> },
    issueId: string,
  ): readonly T[] =>
    links
      .find({ where: { issueId } })
      .flatMap(({ thingId }) => things.get(thingId) ?? [])
      .toSorted((a, b) => (a.nameKey < b.nameKey ? -1 : 1));
  return {
    of: async (issueIds) =>
      new Map(
        issueIds.map((id) => [
          id,
          {
            components: linked(kinds.components, id),
            fixVersions: linked(kinds.fixVersions, id),
            affectsVersions: linked(kinds.affectsVersions, id),
          },
        ]),
      ),
    async replace({ id, repositoryId }, name, ids) {
      const { links, things } = kinds[name];
      const known = ids.filter((thingId) => things.get(thingId)?.repositoryId === repositoryId);
      links.deleteWhere({ issueId: id });
      for (const thingId of known) links.insert({ issueId: id, thingId });
      return known.length;
    },
  } satisfies AssociationStore;
}
