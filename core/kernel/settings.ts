// Instance settings: a stored value over the configuration over the declared default.
import { NotFound } from './errors.ts';
import { declarePort } from './ports.ts';

/** Open: setting key → value. */
export interface SettingValues {}
/** The key of a setting, such as `signup.enabled`. */
export type SettingKey = keyof SettingValues & string;
/** What a setting can be. */
export type SettingValue = boolean | number | string;

/** How a plugin declares a setting (document D, "Settings and audit"). */
export type SettingDeclaration = {
  /** Words joined by dots; of a plugin from outside the first one is its name: `greeting.word`. */
  readonly key: SettingKey;
  readonly description: string;
  /** Sealed at rest and masked when read back. */
  readonly sensitive?: boolean;
} & (
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'integer'; readonly default: number; readonly min: number; readonly max: number }
  | {
      readonly type: 'string';
      readonly default: string;
      /** 65,536 unless it says otherwise. */
      readonly maxLength?: number;
      /** What a text must be that this one is not, as a sentence goes on after "must be"; undefined: it is good. */
      readonly check?: (value: string) => string | undefined;
    }
);

type OfType<T> = Extract<SettingDeclaration, { readonly type: T }>;

/** A declaration whose type is that of the key's values. */
export type SettingSpec<K extends SettingKey = SettingKey> = {
  [Key in K]: { readonly key: Key } & ([SettingValues[Key]] extends [boolean]
    ? OfType<'boolean'>
    : [SettingValues[Key]] extends [number]
      ? OfType<'integer'>
      : OfType<'string'>);
}[K];

/** The port that reads settings. */
export interface Settings {
  /**
   * What the setting is now: a change counts at once on the process that made it, within a second on others. Asking
   * costs no query, so ask on every use and keep nothing.
   */
  get<K extends SettingKey>(key: K): Promise<SettingValues[K]>;
}

/** A setting of a plugin that runs, as it is where nothing is stored. */
export interface DeclaredSetting {
  readonly declaration: SettingDeclaration;
  readonly plugin: string;
  /** The configured value, else the default. */
  readonly configured: SettingValue;
}

/** The settings of the plugins that run. */
export interface SettingCatalogue {
  /** By key, in the order of the alphabet. */
  all(): readonly DeclaredSetting[];
  /** @throws {NotFound} */
  of(key: string): DeclaredSetting;
}

/** The catalogue over what plugins declare; the host has already refused duplicates and what does not fit. */
export function settingCatalogue(
  owners: readonly { readonly name: string; readonly settings?: readonly SettingDeclaration[] }[],
  configured: Readonly<Record<string, unknown>>,
): SettingCatalogue {
  const valueOf = (declaration: SettingDeclaration): SettingValue => {
    const value = Object.hasOwn(configured, declaration.key) ? configured[declaration.key] : undefined;
    return isValue(value) ? value : declaration.default;
  };
  const byKey = new Map<string, DeclaredSetting>(
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

/** What a value of the setting must be, as a sentence goes on after "must be"; undefined where this one is good. */
export function settingMisfit(setting: SettingDeclaration, value: unknown): string | undefined {
  switch (setting.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'integer':
      return Number.isSafeInteger(value) && Number(value) >= setting.min && Number(value) <= setting.max
        ? undefined
        : `a whole number from ${setting.min} to ${setting.max}`;
    case 'string': {
      const most = setting.maxLength ?? 65_536;
      if (typeof value !== 'string' || value.length > most) return `a text of at most ${most} characters`;
      return checked(setting, value);
    }
  }
}

/** By the setting's own check. One that throws must not keep the other settings from being read. */
function checked({ key, check }: OfType<'string'>, value: string): string | undefined {
  try {
    return check?.(value);
  } catch {
    return `a text that the check of "${key}" can judge: it threw`;
  }
}

declare module './ports.ts' {
  interface Ports {
    Settings: Settings;
    SettingCatalogue: SettingCatalogue;
  }
}

declarePort('Settings', { arity: 'single', component: 'settings', critical: true, absent: 'refuse', methods: ['get'] });
declarePort('SettingCatalogue', { arity: 'single', component: 'setting catalogue', critical: true, absent: 'refuse' });
