// Encrypts sensitive settings for storage. The sealed text is bound to the key of the setting and opens under no other.
import type { Sealer } from '#core/kernel/access/credentials';
import type { SettingDeclaration, SettingValue } from '#core/kernel/services/settings';
import type { StoredSetting } from './ports.ts';
import { readSetting, type Reading } from './setting.ts';

export function storedSetting(
  sealer: Sealer,
  { key, sensitive: sealed = false }: SettingDeclaration,
  value: SettingValue,
  updatedAt: Date,
): StoredSetting {
  const text = String(value);
  return { key, text: sealed ? sealer.seal(new TextEncoder().encode(text), key) : text, sealed, updatedAt };
}

/** Checks the stored value against the current declaration. Never throws. */
export function readStored(
  sealer: Sealer,
  declaration: SettingDeclaration,
  { key, text, sealed }: StoredSetting,
): Reading {
  if (!sealed) return readSetting(declaration, text);
  try {
    const plain = new TextDecoder('utf-8', { ignoreBOM: true }).decode(sealer.open(text, key));
    return readSetting(declaration, plain);
  } catch {
    return { misfit: 'sealed as this setting under a secret key of this instance' };
  }
}

/** The setting resealed under the newest key; undefined if that is not needed or not possible. Never throws. */
export function renewed(sealer: Sealer, stored: StoredSetting): StoredSetting | undefined {
  const { key, text, sealed } = stored;
  if (!sealed || !sealer.outdated(text)) return undefined;
  try {
    return { ...stored, text: sealer.seal(sealer.open(text, key), key) };
  } catch {
    // Reading the value logs the problem.
    return undefined;
  }
}
