// Encrypts sensitive settings for storage. The sealed text is bound to the key of the setting and opens under no other.
import type { Sealer } from '#core/kernel/access/credentials';
import type { SettingDeclaration, SettingValue } from '#core/kernel/services/settings';
import type { StoredSetting } from './ports.ts';
import { readSetting, type Reading } from './setting.ts';

export interface Sealing {
  stored(declaration: SettingDeclaration, value: SettingValue, updatedAt: Date): StoredSetting;
  /** Checks the stored value against the current declaration. Never throws. */
  read(declaration: SettingDeclaration, stored: StoredSetting): Reading;
  /** The setting resealed under the newest key; undefined if that is not needed or not possible. Never throws. */
  renewed(stored: StoredSetting): StoredSetting | undefined;
}

export function sealing(sealer: Sealer): Sealing {
  return {
    stored({ key, sensitive: sealed = false }, value, updatedAt) {
      const text = String(value);
      return { key, text: sealed ? sealer.seal(bytesOf(text), key) : text, sealed, updatedAt };
    },
    read(declaration, { key, text, sealed }) {
      if (!sealed) return readSetting(declaration, text);
      try {
        return readSetting(declaration, textOf(sealer.open(text, key)));
      } catch {
        return { misfit: 'sealed as this setting under a secret key of this instance' };
      }
    },
    renewed(stored) {
      const { key, text, sealed } = stored;
      if (!sealed || !sealer.outdated(text)) return undefined;
      try {
        return { ...stored, text: sealer.seal(sealer.open(text, key), key) };
      } catch {
        // Reading the value logs the problem.
        return undefined;
      }
    },
  };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
