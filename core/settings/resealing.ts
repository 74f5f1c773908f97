// Seals what was stored in the open before its setting became a sensitive one: an upgrade of its plugin may say so.
import type { SettingCatalogue } from '#core/kernel/settings';
import type { Clock } from '#core/kernel/time';
import type { UnitOfWork } from '#core/kernel/unit-of-work';
import type { SettingStore } from './ports.ts';
import type { Sealing } from './sealing.ts';

export interface ResealingParts {
  readonly store: SettingStore;
  readonly sealing: Sealing;
  readonly catalogue: SettingCatalogue;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
}

/** At the start, before anyone asks. */
export async function reseal({ store, sealing, catalogue, unitOfWork, clock }: ResealingParts): Promise<void> {
  const open = async () => {
    const stored = new Map((await store.all()).filter(({ sealed }) => !sealed).map(({ key, text }) => [key, text]));
    return catalogue.all().flatMap(({ declaration, plugin }) => {
      const text = declaration.sensitive === true ? stored.get(declaration.key) : undefined;
      return text === undefined ? [] : [{ declaration, plugin, text }];
    });
  };
  if ((await open()).length === 0) return;
  await unitOfWork.run(async () => {
    await store.hold();
    for (const { declaration, plugin, text } of await open())
      await store.put(sealing.stored(declaration, text, clock.now()), plugin);
  });
}
