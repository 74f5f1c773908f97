// The stores of the plugins that were enabled at the last start, in SQL and in memory.
import type { KnownPluginStore } from 'hexforge/administration';
import { rows, storeOf } from 'hexforge/plugin';
import { KnownPluginTable } from '../tables.ts';

export const knownPluginStore = storeOf(
  { known: rows<{ readonly name: string }>(KnownPluginTable) },
  ({ known }): KnownPluginStore => ({
    all: async () => (await known.find({ where: {}, orderBy: ['name'] })).map(({ name }) => name),
    async change(added, gone) {
      await known.deleteMany({ where: {}, among: { name: gone } });
      await known.addMany(added.map((name) => ({ name })));
    },
  }),
);
