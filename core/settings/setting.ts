// Conversion of setting values: parsing from text, and the form shown to administrators.
import {
  settingMisfit,
  type DeclaredSetting,
  type SettingDeclaration,
  type SettingValue,
} from '#core/kernel/services/settings';

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

/** A valid value, or a description of the values that are valid (see `settingMisfit`). */
export type Reading =
  | { readonly value: SettingValue; readonly misfit?: undefined }
  | { readonly value?: undefined; readonly misfit: string };

/** Parses `true` and `false`, integers in decimal digits without a leading zero, and any text. */
export function readSetting(declaration: SettingDeclaration, text: string): Reading {
  const value = parsed(declaration, text);
  const misfit = settingMisfit(declaration, value);
  return misfit === undefined ? { value } : { misfit };
}

/** Text that cannot be parsed as the type is returned as text, which then fails validation of that type. */
function parsed({ type }: SettingDeclaration, text: string): SettingValue {
  if (type === 'integer' && /^(?:0|-?[1-9]\d*)$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
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
