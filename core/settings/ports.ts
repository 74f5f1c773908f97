// Ports of the settings area: the store of setting values.

/** The stored value of a setting. */
export interface StoredSetting {
  readonly key: string;
  /** The value as text; sealed if the setting was sensitive when it was written. */
  readonly text: string;
  readonly sealed: boolean;
  readonly updatedAt: Date;
}

/** The store of setting values. */
export interface SettingStore {
  /** All stored values, including those of disabled or removed plugins. */
  all(): Promise<readonly StoredSetting[]>;
  /** Blocks other units of work that call `hold` until this unit of work ends. */
  hold(): Promise<void>;
  /**
   * Inserts the setting, or replaces the one with the same key.
   * @param plugin the plugin that declares the setting; purging its data deletes the value. Absent: keeps the stored
   * plugin.
   */
  put(setting: StoredSetting, plugin?: string): Promise<void>;
  /** Deletes the setting with this key, if it exists. */
  remove(key: string): Promise<void>;
}
