// What the settings ask of the world: their store.

/** The stored value of a setting. */
export interface StoredSetting {
  readonly key: string;
  /** The value as text, sealed where the setting was sensitive when it was written. */
  readonly text: string;
  readonly sealed: boolean;
  readonly updatedAt: Date;
}

/** Where values of settings are kept. */
export interface SettingStore {
  /** Those of plugins that are off or gone too. */
  all(): Promise<readonly StoredSetting[]>;
  /** Inside a unit of work: until it ends no other one gets past here. */
  hold(): Promise<void>;
  /**
   * Adds it, or puts it in the place of the one with its key.
   * @param plugin whose setting it is: what is stored of a plugin goes with its data. Absent: as it was.
   */
  put(setting: StoredSetting, plugin?: string): Promise<void>;
}
