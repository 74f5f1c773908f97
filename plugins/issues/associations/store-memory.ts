// The store of the components and versions of issues, in memory.
import type { MemoryDatabase, MemoryTable } from 'hexforge/plugin';
import type { Association, AssociationStore, Named } from 'hexforge/issues';
import { componentTable, issueTable, linkTables, versionTable } from '../tables-memory.ts';

export function memoryAssociationStore(database: MemoryDatabase): AssociationStore {
  issueTable(database);
  const [components, versions] = [componentTable(database), versionTable(database)];
  const links = linkTables(database);
  const linked = <T extends Named>(issueId: string, association: Association, table: MemoryTable<T>): readonly T[] =>
    links[association]
      .find({ where: { issueId, association } })
      .flatMap(({ thingId }) => table.get(thingId) ?? [])
      .sort((one, other) => (one.nameKey < other.nameKey ? -1 : 1));
  return {
    of: async (issueIds) =>
      new Map(
        issueIds.map((id) => [
          id,
          {
            components: linked(id, 'components', components),
            fixVersions: linked(id, 'fixVersions', versions),
            affectsVersions: linked(id, 'affectsVersions', versions),
          },
        ]),
      ),
    async replace(issueId, association, ids) {
      links[association].deleteWhere({ issueId, association });
      for (const thingId of ids) links[association].insert({ issueId, association, thingId });
    },
  } satisfies AssociationStore;
}
