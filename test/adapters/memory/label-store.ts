// The in-memory store of a simple resource, as shown in the doc comment of `MemoryDatabase`.
import type { MemoryDatabase } from '#adapters/memory/index';

export interface Label {
  readonly id: string;
  readonly repositoryId: string;
  readonly name: string;
  readonly color: string;
}

export interface LabelStore {
  list(
    repositoryId: string,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly labels: readonly Label[]; readonly total: number }>;
  byId(id: string): Promise<Label | undefined>;
  insert(label: Label): Promise<void>;
  update(id: string, patch: Partial<Pick<Label, 'name' | 'color'>>): Promise<boolean>;
  delete(id: string): Promise<boolean>;
}

export function memoryLabelStore(database: MemoryDatabase): LabelStore {
  const labels = database.table<Label>('issues_label', {
    key: 'id',
    uniques: { issues_label_name_key: ({ repositoryId, name }) => [repositoryId, name.toLowerCase()] },
    references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
  });
  return {
    list: async (repositoryId, slice) => ({
      labels: labels.find({ where: { repositoryId }, orderBy: ({ name }) => name.toLowerCase(), ...slice }),
      total: labels.count({ repositoryId }),
    }),
    byId: async (id) => labels.get(id),
    insert: async (label) => labels.insert(label),
    update: async (id, patch) => labels.update(id, patch),
    delete: async (id) => labels.delete(id),
  };
}
