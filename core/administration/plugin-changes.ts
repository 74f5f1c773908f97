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
 * Runs at startup. If the audit log is unavailable, the list of known plugins is not updated either, so the next start
 * with an audit log records all changes made in between.
 */
export async function recordPluginChanges(parts: PluginChangeParts): Promise<void> {
  const { known, audit, unitOfWork, locks, clock } = parts;
  const { added, gone } = await changesSince(parts);
  if (added.length + gone.length === 0) return;
  try {
    // Processes that start at the same time must record the changes only once.
    await locks.exclusive('administration.plugin-changes', async () => {
      const still = await changesSince(parts);
      await unitOfWork.run(async () => {
        for (const name of still.added)
          await audit.append(systemEntry(clock.now(), 'plugin.enabled', `plugin:${name}`));
        for (const name of still.gone)
          await audit.append(systemEntry(clock.now(), 'plugin.disabled', `plugin:${name}`));
        await known.change(still.added, still.gone);
      });
    });
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  }
}

async function changesSince({ known, inventory }: PluginChangeParts) {
  const before = new Set(await known.all());
  const enabled = new Set((await inventory.list()).filter((plugin) => plugin.enabled).map(({ name }) => name));
  return { added: [...enabled.difference(before)], gone: [...before.difference(enabled)] };
}
