// Fixtures for specs of labels and milestones: use cases on in-memory stores, with given repository ids and access
// decisions.
import { openMemory, sequentialIds } from '#adapters/memory/index';
import { systemClock } from '#adapters/system/time';
import type { Granted, User } from '#core/kernel/index';
import { planningEvents, type MilestoneCounts } from '#core/planning/index';
import { planningUseCases } from '#core/planning/use-cases';
import type { Repository } from '#core/repositories/index';
import { stores } from '#plugins/planning/tables';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { leavingStorage } from '#test/support/servers/leaving-storage';
import { recorded, user } from '../forge.ts';

export { refusal } from '../forge.ts';

const alice = user('alice');

/** An access decision for alice on the repository, with the given further permissions. */
export function granted(
  repositoryId: string,
  options: { readonly may?: readonly string[]; readonly now?: Date } = {},
): Granted<Repository, never, User> {
  return {
    resource: { id: repositoryId },
    call: { caller: alice, now: options.now ?? new Date('2026-01-02T03:04:05.678Z') },
    may: (permission: string) => (options.may ?? ['label.create']).includes(permission),
  } as unknown as Granted<Repository, never, User>;
}

export async function world(counters: readonly MilestoneCounts[] = []) {
  const ids = sequentialIds();
  const storage = leavingStorage(openMemory({ clock: systemClock, ids, log: quietLog }));
  const events = await recorded(storage, planningEvents);
  return {
    ...planningUseCases({
      labels: stores.labels.memory(storage.database),
      milestones: stores.milestones.memory(storage.database),
      unitOfWork: storage.unitOfWork,
      events: storage.events,
      ids,
      counters: () => counters,
    }),
    storage,
    unitOfWork: storage.unitOfWork,
    /** The events delivered since the last call: type, aggregate and payload. */
    async told(): Promise<readonly (readonly [string, string, unknown])[]> {
      return (await events()).splice(0).map(({ type, aggregate, payload }) => [type, aggregate, payload] as const);
    },
    close: () => storage.close(),
  };
}
