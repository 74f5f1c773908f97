// Sealing at rest: the text of a sensitive setting, bound to its key so that it opens under no other.
import type { Sealer } from '#core/kernel/credentials';
import type { SettingDeclaration, SettingValue } from '#core/kernel/settings';
import type { StoredSetting } from './ports.ts';
import { readSetting, type Reading } from './setting.ts';

export interface Sealing {
  stored(declaration: SettingDeclaration, value: SettingValue, updatedAt: Date): StoredSetting;
  /** What is stored, judged by the declaration of today. Never throws. */
  read(declaration: SettingDeclaration, stored: StoredSetting): Reading;
  /** Sealed again, where that is due. Never throws. */
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
        // The log names it where its value is asked for.
        return undefined;
      }
    },
  };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
