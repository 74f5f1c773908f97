// The store of the plugins that were enabled at the last start, in memory.
import type { KnownPluginStore } from 'hexforge/administration';
import type { MemoryDatabase } from 'hexforge/plugin';

export function memoryKnownPluginStore(database: MemoryDatabase): KnownPluginStore {
  const known = database.table<{ readonly name: string }>('administration_known_plugin', { key: 'name' });
  return {
    all: async () => known.find({ orderBy: 'name' }).map(({ name }) => name),
    async change(added, gone) {
      for (const name of gone) known.delete(name);
      for (const name of added) known.upsert({ name });
    },
  } satisfies KnownPluginStore;
}
