// A setting as text: how its value is written, read and shown (document C, "Setting").
import { settingMisfit } from '#core/kernel/settings';
import type { DeclaredSetting, SettingDeclaration, SettingValue } from '#core/kernel/settings';

/** Stands for the value of a sensitive setting; sent back, it changes nothing. */
export const maskedValue = '********';

/** Document C, "Setting"; document D adds `sensitive` and `default`. Booleans and numbers are strings. */
export interface ShownSetting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly sensitive: boolean;
  readonly default: string;
}

/** A value that fits its declaration, or what it must be, as `settingMisfit` says it. */
export type Reading =
  | { readonly value: SettingValue; readonly misfit?: undefined }
  | { readonly value?: undefined; readonly misfit: string };

/** `true` and `false`, whole numbers in digits without a leading zero, a text as it is. */
export function readSetting(declaration: SettingDeclaration, text: string): Reading {
  const value = parsed(declaration, text);
  const misfit = settingMisfit(declaration, value);
  return misfit === undefined ? { value } : { misfit };
}

/** A text that is no value of the type stays a text, which fits no other type. */
function parsed({ type }: SettingDeclaration, text: string): SettingValue {
  if (type === 'integer' && /^(?:0|-?[1-9]\d*)$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A value as administrators see it: masked where the setting is sensitive. */
export const shownValue = ({ sensitive }: SettingDeclaration, value: SettingValue): string =>
  sensitive === true ? maskedValue : String(value);

/** A sensitive default is masked too, but for the empty one. */
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
