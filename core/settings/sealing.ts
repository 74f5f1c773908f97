// Sealing at rest: the text of a sensitive setting, bound to its key so that it opens under no other.
import type { Sealer } from '#core/kernel/credentials';
import type { SettingDeclaration, SettingValue } from '#core/kernel/settings';
import type { StoredSetting } from './ports.ts';
import { readSetting, type Reading } from './setting.ts';

export interface Sealing {
  stored(declaration: SettingDeclaration, value: SettingValue, updatedAt: Date): StoredSetting;
  /** What is stored, judged by the declaration of today. Never throws. */
  read(declaration: SettingDeclaration, stored: StoredSetting): Reading;
}

export function sealing(sealer: Sealer): Sealing {
  const prefixOf = (key: string): string => `${key}\n`;
  return {
    stored({ key, sensitive: sealed = false }, value, updatedAt) {
      const text = String(value);
      return { key, text: sealed ? sealer.seal(bytesOf(prefixOf(key) + text)) : text, sealed, updatedAt };
    },
    read(declaration, { key, text, sealed }) {
      if (!sealed) return readSetting(declaration, text);
      try {
        const opened = textOf(sealer.open(text));
        if (!opened.startsWith(prefixOf(key))) return { misfit: 'sealed under its own key' };
        return readSetting(declaration, opened.slice(prefixOf(key).length));
      } catch {
        return { misfit: 'sealed under the secret key of this instance' };
      }
    },
  };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
