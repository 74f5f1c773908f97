// Reseals stored settings whose form is outdated: stored unsealed before the setting became sensitive, or sealed under
// a key from before a rotation.
import type { SealedRecords } from '#core/kernel/access/credentials';
import type { DeclaredSetting } from '#core/kernel/services/settings';
import type { SettingsParts } from './parts.ts';
import type { StoredSetting } from './ports.ts';
import { renewed, storedSetting } from './sealing.ts';

/** Runs at startup before any setting is read, and after a key rotation. Also reseals settings of disabled plugins. */
export function resealing({ store, sealer, catalogue, unitOfWork, clock }: SettingsParts): SealedRecords {
  const due = async (): Promise<readonly { readonly setting: StoredSetting; readonly plugin?: string }[]> => {
    const sensitive = new Map<string, DeclaredSetting>(
      catalogue
        .all()
        .filter(({ declaration }) => declaration.sensitive === true)
        .map((declared) => [declared.declaration.key, declared]),
    );
    return (await store.all()).flatMap((stored) => {
      const declared = sensitive.get(stored.key);
      if (declared === undefined || stored.sealed) {
        const setting = renewed(sealer, stored);
        return setting === undefined ? [] : [{ setting }];
      }
      const { declaration, plugin } = declared;
      return [{ setting: storedSetting(sealer, declaration, stored.text, clock.now()), plugin }];
    });
  };
  return {
    what: 'settings',
    async reseal() {
      if ((await due()).length === 0) return 0;
      return unitOfWork.run(async () => {
        await store.hold();
        const all = await due();
        for (const { setting, plugin } of all) await store.put(setting, plugin);
        return all.length;
      });
    },
  };
}
