// Settings of repositories, which plugins declare and read: the stored value, else the declared default.
import { declarePort } from '../ports.ts';
import type { SettingCatalogue, SettingSpecIn } from './settings.ts';

/** Open: key of a setting of repositories → type of its value. */
export interface RepositorySettingValues {}
/** The key of a setting of repositories, such as `bell.loud`. */
export type RepositorySettingKey = keyof RepositorySettingValues & string;

/** A declaration whose type matches the type of the key's values. The values are not sealed. */
export type RepositorySettingSpec<K extends RepositorySettingKey = RepositorySettingKey> = SettingSpecIn<
  RepositorySettingValues,
  K
> & { readonly sensitive?: false };

/**
 * Reads the settings of repositories. A plugin reads those that it declares itself. A repository that does not exist
 * has the defaults. Values are not cached: each call is one query.
 */
export interface RepositorySettings {
  get<K extends RepositorySettingKey>(repositoryId: string, key: K): Promise<RepositorySettingValues[K]>;
  /**
   * @param repositoryIds at most 1,000.
   * @returns the value of every given repository, by its id.
   */
  getMany<K extends RepositorySettingKey>(
    repositoryIds: readonly string[],
    key: K,
  ): Promise<ReadonlyMap<string, RepositorySettingValues[K]>>;
}

declare module '../ports.ts' {
  interface Ports {
    RepositorySettings: RepositorySettings;
    RepositorySettingCatalogue: SettingCatalogue<string>;
  }
}

declarePort('RepositorySettings', {
  arity: 'single',
  component: 'reader of repository settings (plugin "repositories")',
  critical: true,
  absent: 'refuse',
  methods: ['get', 'getMany'],
});
declarePort('RepositorySettingCatalogue', {
  arity: 'single',
  component: 'catalogue of the settings of repositories',
  critical: true,
  absent: 'refuse',
});
