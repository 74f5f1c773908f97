// The store of the components and versions of issues, in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { AssociationStore, Named } from 'hexforge/issues';
import { componentRows, issueComponentRows, issueRows, issueVersionRows, versionRows } from '../tables.ts';
import { associationWrites } from './store.ts';

const byName = <T extends Named>(things: readonly T[]): readonly T[] =>
  things.toSorted((one, other) => (one.nameKey < other.nameKey ? -1 : 1));

export function memoryAssociationStore(database: MemoryDatabase): AssociationStore {
  issueRows.memory(database);
  const [components, versions] = [componentRows.memory(database).table, versionRows.memory(database).table];
  const [ofComponents, ofVersions] = [
    issueComponentRows.memory(database).table,
    issueVersionRows.memory(database).table,
  ];
  const versionsOf = (issueId: string, kind: 'fix' | 'affects') =>
    byName(ofVersions.find({ where: { issueId, kind } }).flatMap(({ versionId }) => versions.get(versionId) ?? []));
  return {
    ...associationWrites.memory(database),
    of: async (issueIds) =>
      new Map(
        issueIds.map((issueId) => [
          issueId,
          {
            components: byName(
              ofComponents.find({ where: { issueId } }).flatMap(({ componentId }) => components.get(componentId) ?? []),
            ),
            fixVersions: versionsOf(issueId, 'fix'),
            affectsVersions: versionsOf(issueId, 'affects'),
          },
        ]),
      ),
  } satisfies AssociationStore;
}
