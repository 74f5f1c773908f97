// What the settings ask of the world: their store.

export interface StoredSetting {
  readonly key: string;
  /** The value as text, sealed where the setting was sensitive when it was written. */
  readonly text: string;
  readonly sealed: boolean;
  readonly updatedAt: Date;
}

export interface SettingStore {
  /** Those of plugins that are off or gone too. */
  all(): Promise<readonly StoredSetting[]>;
  /** Inside a unit of work: until it ends no other one gets past here. */
  hold(): Promise<void>;
  /** Adds it, or puts it in the place of the one with its key. */
  put(setting: StoredSetting): Promise<void>;
}
