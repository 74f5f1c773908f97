// Builds the use cases of settings from their parts, for their own plugin.
import { settingAdministration } from './administration.ts';
import type { SettingsParts } from './parts.ts';
import { resealing } from './resealing.ts';
import { values } from './values.ts';

export function settingsUseCases(parts: SettingsParts) {
  const kept = values(parts);
  return {
    settings: kept.settings,
    administration: settingAdministration(parts, kept),
    /** Called when another process has stored a setting. */
    forget: kept.forget,
    sealed: resealing(parts),
  };
}

export type SettingsUseCases = ReturnType<typeof settingsUseCases>;
