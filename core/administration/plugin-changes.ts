// Writes an audit entry for each plugin that was enabled or disabled since the last start.
import { systemEntry, type AuditLog } from '#core/kernel/services/audit';
import { Unavailable } from '#core/kernel/errors';
import type { PluginInventory } from '#core/kernel/services/plugin-inventory';
import type { Clock } from '#core/kernel/time';
import type { Locks, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { KnownPluginStore } from './ports.ts';

export interface PluginChangeParts {
  readonly known: KnownPluginStore;
  readonly inventory: PluginInventory;
  readonly audit: AuditLog;
  readonly unitOfWork: UnitOfWork;
  readonly locks: Locks;
  readonly clock: Clock;
}

/**
 * Returns a function that runs at startup. If the audit log is unavailable, the list of known plugins is not updated
 * either, so the next start with an audit log records all changes made in between.
 */
export function recordPluginChanges({ known, inventory, audit, unitOfWork, locks, clock }: PluginChangeParts) {
  const changes = async () => {
    const before = new Set(await known.all());
    const enabled = new Set((await inventory.list()).filter((plugin) => plugin.enabled).map(({ name }) => name));
    return {
      added: [...enabled].filter((name) => !before.has(name)),
      gone: [...before].filter((name) => !enabled.has(name)),
    };
  };
  const some = ({ added, gone }: Awaited<ReturnType<typeof changes>>): boolean => added.length + gone.length > 0;

  return async (): Promise<void> => {
    if (!some(await changes())) return;
    try {
      // Processes that start at the same time must record the changes only once.
      await locks.exclusive('administration.plugin-changes', async () => {
        const { added, gone } = await changes();
        await unitOfWork.run(async () => {
          for (const name of added) await audit.append(systemEntry(clock.now(), 'plugin.enabled', `plugin:${name}`));
          for (const name of gone) await audit.append(systemEntry(clock.now(), 'plugin.disabled', `plugin:${name}`));
          await known.change(added, gone);
        });
      });
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
  };
}
