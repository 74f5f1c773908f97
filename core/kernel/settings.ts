// Instance settings: a stored value over the configuration over the declared default.
import { declarePort } from './ports.ts';

/** Open: setting key → value. */
export interface SettingValues {}
export type SettingKey = keyof SettingValues & string;

/** How a plugin declares a setting (document D, "Settings and audit"). */
export type SettingDeclaration = {
  readonly key: SettingKey;
  readonly description: string;
  /** Sealed at rest and masked when read back. */
  readonly sensitive?: boolean;
} & (
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'integer'; readonly default: number; readonly min: number; readonly max: number }
  | { readonly type: 'string'; readonly default: string; readonly maxLength?: number }
);

export interface Settings {
  get<K extends SettingKey>(key: K): Promise<SettingValues[K]>;
}

declare module './ports.ts' {
  interface Ports {
    Settings: Settings;
  }
}

declarePort('Settings', { arity: 'single', component: 'settings', critical: true, absent: 'refuse' });
