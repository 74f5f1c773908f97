// The form of settings that is shown to administrators.
import {
  settingMisfit,
  type DeclaredSetting,
  type SettingDeclaration,
  type SettingValue,
} from '#core/kernel/services/settings';

export { readSetting, type Reading } from '#core/kernel/services/setting-text';

/** Replaces the value of a sensitive setting in responses. When it is sent back, the stored value stays unchanged. */
export const maskedValue = '********';

/** A setting as the API returns it. Booleans and numbers are strings. */
export interface ShownSetting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly sensitive: boolean;
  readonly default: string;
}

/** A setting with its type and bounds, for a form. */
export interface DescribedSetting extends ShownSetting {
  readonly plugin: string;
  readonly type: SettingDeclaration['type'];
  /** Describes the valid values, such as "a whole number from 0 to 9". */
  readonly bounds: string;
  readonly longest: number | undefined;
  /** Whether a value is stored. It replaces the configured and the default value. */
  readonly stored: boolean;
}

/** The value shown to administrators: masked if the setting is sensitive. */
export const shownValue = ({ sensitive }: SettingDeclaration, value: SettingValue): string =>
  sensitive === true ? maskedValue : String(value);

const boundsOf = (declaration: SettingDeclaration): Pick<DescribedSetting, 'bounds' | 'longest'> => {
  if (declaration.type !== 'string') return { bounds: settingMisfit(declaration, undefined) ?? '', longest: undefined };
  const longest = declaration.maxLength ?? 65_536;
  return { bounds: `a text of at most ${longest} characters`, longest };
};

/** A setting as administrators see it, with its bounds in words. */
export const describedSetting = (
  declared: DeclaredSetting,
  value: SettingValue,
  stored: boolean,
): DescribedSetting => ({
  ...shownSetting(declared, value),
  ...boundsOf(declared.declaration),
  plugin: declared.plugin,
  type: declared.declaration.type,
  stored,
});

/** A sensitive default is masked too, unless it is empty. */
export function shownSetting({ declaration }: DeclaredSetting, value: SettingValue): ShownSetting {
  const { key, description, sensitive = false, default: usual } = declaration;
  return {
    key,
    value: shownValue(declaration, value),
    description,
    sensitive,
    default: usual === '' ? '' : shownValue(declaration, usual),
  };
}
