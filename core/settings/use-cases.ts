// Builds the use cases of settings from their parts, for their own plugin.
import type { AuditLog } from '#core/kernel/services/audit';
import type { Sealer } from '#core/kernel/access/credentials';
import type { Events } from '#core/kernel/storage/unit-of-work';
import { settingAdministration } from './administration.ts';
import { resealing, type ResealingParts } from './resealing.ts';
import { sealing } from './sealing.ts';
import { values, type ValueParts } from './values.ts';

export type SettingsParts = Omit<ValueParts & ResealingParts, 'sealing'> & {
  readonly sealer: Sealer;
  readonly events: Events;
  readonly audit: AuditLog;
};

export function settingsUseCases({ sealer, ...given }: SettingsParts) {
  const parts = { ...given, sealing: sealing(sealer) };
  const kept = values(parts);
  return {
    settings: kept.settings,
    administration: settingAdministration({ ...parts, values: kept }),
    /** Called when another process has stored a setting. */
    forget: () => kept.forget(),
    sealed: resealing(parts),
  };
}

export type SettingsUseCases = ReturnType<typeof settingsUseCases>;
