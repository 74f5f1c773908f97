// Reseals stored settings whose form is outdated: stored unsealed before the setting became sensitive, or sealed under
// a key from before a rotation.
import type { SealedRecords } from '#core/kernel/access/credentials';
import type { DeclaredSetting, SettingCatalogue } from '#core/kernel/services/settings';
import type { Clock } from '#core/kernel/time';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { SettingStore, StoredSetting } from './ports.ts';
import type { Sealing } from './sealing.ts';

export interface ResealingParts {
  readonly store: SettingStore;
  readonly sealing: Sealing;
  readonly catalogue: SettingCatalogue;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
}

/** Runs at startup before any setting is read, and after a key rotation. Also reseals settings of disabled plugins. */
export function resealing({ store, sealing, catalogue, unitOfWork, clock }: ResealingParts): SealedRecords {
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
        const setting = sealing.renewed(stored);
        return setting === undefined ? [] : [{ setting }];
      }
      const { declaration, plugin } = declared;
      return [{ setting: sealing.stored(declaration, stored.text, clock.now()), plugin }];
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
  } satisfies SealedRecords;
}
