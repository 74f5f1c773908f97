// The stores of the settings of repositories, in SQL and in memory.
import { rows, storeOf } from 'hexforge/plugin';
import type { RepositorySettingStore, StoredRepositorySetting } from 'hexforge/repositories';
import { ofRepository, SettingTable } from '../tables.ts';

type Row = StoredRepositorySetting & { readonly hexforgePlugin: string };

export const repositorySettingStore = storeOf(
  { settings: rows<Row>(SettingTable, { references: ofRepository }) },
  ({ settings }): RepositorySettingStore => ({
    all: async (repositoryId) =>
      new Map((await settings.find({ where: { repositoryId }, orderBy: [] })).map(({ key, text }) => [key, text])),
    ofKey: async (repositoryIds, key) =>
      new Map(
        (await settings.find({ where: { key }, among: { repositoryId: repositoryIds }, orderBy: [] })).map(
          ({ repositoryId, text }) => [repositoryId, text],
        ),
      ),
    hold: (repositoryId) => settings.hold({ repositoryId }),
    put: (setting, hexforgePlugin) => settings.put({ ...setting, hexforgePlugin }),
  }),
);
