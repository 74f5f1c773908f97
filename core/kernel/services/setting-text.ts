// Values of settings as texts, as clients send them and stores keep them.
import { Unprocessable, ValidationFailed } from '../errors.ts';
import { settingMisfit, type SettingDeclaration, type SettingValue } from './settings.ts';

/** A valid value, or a description of the values that are valid (see `settingMisfit`). */
export type Reading =
  | { readonly value: SettingValue; readonly misfit?: undefined }
  | { readonly value?: undefined; readonly misfit: string };

/** Parses `true` and `false`, integers in decimal digits without a leading zero, and any text. */
export function readSetting(declaration: SettingDeclaration<string>, text: string): Reading {
  const value = parsed(declaration, text);
  const misfit = settingMisfit(declaration, value);
  return misfit === undefined ? { value } : { misfit };
}

/** Text that cannot be parsed as the type is returned as text, which then fails validation of that type. */
function parsed({ type }: SettingDeclaration<string>, text: string): SettingValue {
  if (type === 'integer' && /^(?:0|-?[1-9]\d*)$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** The value that a client sent as text. @throws {Unprocessable} if it is not valid. */
export function sentSetting(declaration: SettingDeclaration<string>, text: string): SettingValue {
  const { value, misfit } = readSetting(declaration, text);
  if (misfit !== undefined)
    throw new Unprocessable('The value is out of bounds', { detail: `"${declaration.key}" must be ${misfit}` });
  return value;
}

/** @throws {ValidationFailed} if a key occurs twice. */
export function checkDistinct(changes: readonly { readonly key: string }[]): void {
  const keys = new Set<string>();
  for (const { key } of changes) {
    if (keys.has(key))
      throw new ValidationFailed('A setting is there twice', { detail: `"settings" has "${key}" twice` });
    keys.add(key);
  }
}
