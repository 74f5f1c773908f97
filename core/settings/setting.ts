// The form of settings that is shown to administrators.
import type { DeclaredSetting, SettingDeclaration, SettingValue } from '#core/kernel/services/settings';

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

/** The value shown to administrators: masked if the setting is sensitive. */
export const shownValue = ({ sensitive }: SettingDeclaration, value: SettingValue): string =>
  sensitive === true ? maskedValue : String(value);

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
