// Instance settings: the stored value, else the configured value, else the declared default.
import { isLonger } from '../characters.ts';
import { NotFound } from '../errors.ts';
import { declarePort } from '../ports.ts';

/** Open: setting key → type of its value. */
export interface SettingValues {}
/** The key of a setting, such as `signup.enabled`. */
export type SettingKey = keyof SettingValues & string;
/** The possible types of a setting's value. */
export type SettingValue = boolean | number | string;

/** The declaration of a setting by a plugin. */
export type SettingDeclaration<Key extends string = SettingKey> = {
  /** Words joined by dots. In an external plugin the first word is the plugin's name: `greeting.word`. */
  readonly key: Key;
  readonly description: string;
  /** Encrypted in storage and masked when read by administrators. */
  readonly sensitive?: boolean;
  /** Delegated administrators only read it, because its value allows to sign in as others. */
  readonly superAdmin?: boolean;
} & (
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'integer'; readonly default: number; readonly min: number; readonly max: number }
  | {
      readonly type: 'string';
      readonly default: string;
      /** Default: 65,536. */
      readonly maxLength?: number;
      /** Returns undefined for a valid text, else a description that completes the sentence "The value must be …". */
      readonly check?: (value: string) => string | undefined;
    }
);

type OfType<T> = Extract<SettingDeclaration<string>, { readonly type: T }>;

/** A declaration of one of the keys `K`, of the type that its values have in `Values`. */
export type SettingSpecIn<Values, K extends keyof Values & string> = {
  [Key in K]: { readonly key: Key } & ([Values[Key]] extends [boolean]
    ? OfType<'boolean'>
    : [Values[Key]] extends [number]
      ? OfType<'integer'>
      : OfType<'string'>);
}[K];

/** A declaration whose type matches the type of the key's values. */
export type SettingSpec<K extends SettingKey = SettingKey> = SettingSpecIn<SettingValues, K>;

/** The port that reads settings. */
export interface Settings {
  /**
   * Returns the current value. A change is visible at once in the process that made it, and within a second in others.
   * Values are cached, so call this on every use and do not keep the result.
   */
  get<K extends SettingKey>(key: K): Promise<SettingValues[K]>;
}

/** A setting of a running plugin, with its value if none is stored. */
export interface DeclaredSetting<Key extends string = SettingKey> {
  readonly declaration: SettingDeclaration<Key>;
  readonly plugin: string;
  /** The configured value, else the default. */
  readonly configured: SettingValue;
}

/** The settings of the running plugins. */
export interface SettingCatalogue<Key extends string = SettingKey> {
  /** All settings, in alphabetical order of their keys. */
  all(): readonly DeclaredSetting<Key>[];
  /** @throws {NotFound} if no running plugin declares the key. */
  of(key: string): DeclaredSetting<Key>;
}

/** Builds the catalogue from the plugins' declarations. The host rejects duplicates and invalid values beforehand. */
export function settingCatalogue<Key extends string = SettingKey>(
  owners: readonly { readonly name: string; readonly settings?: readonly SettingDeclaration<Key>[] }[],
  configured: Readonly<Record<string, unknown>>,
): SettingCatalogue<Key> {
  const valueOf = (declaration: SettingDeclaration<Key>): SettingValue => {
    const value = Object.hasOwn(configured, declaration.key) ? configured[declaration.key] : undefined;
    return isValue(value) ? value : declaration.default;
  };
  const byKey = new Map<string, DeclaredSetting<Key>>(
    owners
      .flatMap(({ name: plugin, settings = [] }) =>
        settings.map((declaration) => ({ declaration, plugin, configured: valueOf(declaration) })),
      )
      .toSorted((a, b) => (a.declaration.key < b.declaration.key ? -1 : 1))
      .map((declared) => [declared.declaration.key, declared]),
  );
  return {
    all: () => [...byKey.values()],
    of(key) {
      const declared = byKey.get(key);
      if (declared === undefined) throw new NotFound(`There is no setting "${key}"`);
      return declared;
    },
  };
}

const isValue = (value: unknown): value is SettingValue =>
  typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';

/** Returns undefined for a valid value, else a description that completes the sentence "The value must be …". */
export function settingMisfit(setting: SettingDeclaration<string>, value: unknown): string | undefined {
  switch (setting.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'integer':
      return Number.isSafeInteger(value) && Number(value) >= setting.min && Number(value) <= setting.max
        ? undefined
        : `a whole number from ${setting.min} to ${setting.max}`;
    case 'string': {
      const most = setting.maxLength ?? 65_536;
      if (typeof value !== 'string' || isLonger(value, most)) return `a text of at most ${most} characters`;
      return checked(setting, value);
    }
  }
}

/**
 * Runs the setting's own check. If it throws, the value counts as invalid, so that other settings can still be read.
 */
function checked({ key, check }: OfType<'string'>, value: string): string | undefined {
  try {
    return check?.(value);
  } catch {
    return `a text that the check of "${key}" can judge: it threw`;
  }
}

declare module '../ports.ts' {
  interface Ports {
    Settings: Settings;
    SettingCatalogue: SettingCatalogue;
  }
}

declarePort('Settings', { arity: 'single', component: 'settings', critical: true, absent: 'refuse', methods: ['get'] });
declarePort('SettingCatalogue', { arity: 'single', component: 'setting catalogue', critical: true, absent: 'refuse' });
