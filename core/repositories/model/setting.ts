// The stored settings of repositories.

// The compiler merges the declarations of several plugins only if one in this package names the file of the interface.
declare module '#core/kernel/services/repository-settings' {
  interface RepositorySettingValues {}
}

/** The stored value of a setting of a repository. */
export interface StoredRepositorySetting {
  readonly repositoryId: string;
  readonly key: string;
  readonly text: string;
  readonly updatedAt: Date;
}

/** The store of the settings of repositories. Deleting a repository deletes its settings. */
export interface RepositorySettingStore {
  /** All stored values of a repository by key, including those of disabled or removed plugins; one query. */
  all(repositoryId: string): Promise<ReadonlyMap<string, string>>;
  /** The stored values of one key by repository; one query. */
  ofKey(repositoryIds: readonly string[], key: string): Promise<ReadonlyMap<string, string>>;
  /** Blocks other units of work that call `hold` for the repository until this unit of work ends. */
  hold(repositoryId: string): Promise<void>;
  /**
   * Inserts the setting, or replaces the one with the same key.
   * @param plugin the plugin that declares the setting; purging its data deletes the value.
   */
  put(setting: StoredRepositorySetting, plugin: string): Promise<void>;
}
