// The store of branch protection in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { Protection, ProtectionStore } from 'hexforge/repositories';

interface Row {
  readonly repositoryId: string;
  readonly branch: string;
  readonly protection: Protection;
}

/** An id has a fixed length, so that a branch cannot be mistaken for a part of it. */
const keyOf = ({ repositoryId, branch }: Pick<Row, 'repositoryId' | 'branch'>): string => `${repositoryId}/${branch}`;

/** `forget` is for the store of repositories: rules go with theirs. */
export function memoryProtectionStore(
  database: MemoryDatabase,
): ProtectionStore & { forget(repositoryId: string): void } {
  const rows = database.table<Row>('repositories_protection', { key: keyOf });
  return {
    async all(repositoryId) {
      return new Map(
        rows
          .all()
          .filter((row) => row.repositoryId === repositoryId)
          .map(({ branch, protection }) => [branch, protection]),
      );
    },
    async put(repositoryId, branch, protection) {
      const key = keyOf({ repositoryId, branch });
      if (rows.get(key) === undefined) rows.insert({ repositoryId, branch, protection });
      else rows.update(key, { protection });
    },
    async delete(repositoryId, branch) {
      return rows.delete(keyOf({ repositoryId, branch }));
    },
    forget(repositoryId) {
      for (const row of rows.all()) if (row.repositoryId === repositoryId) rows.delete(keyOf(row));
    },
  };
}
