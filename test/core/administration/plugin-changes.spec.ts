// Audit entries at the start for plugins that were enabled or disabled since the last start.
import t from 'tap';
import { fixedClock, openMemory } from '#adapters/memory/index';
import { systemIds } from '#adapters/system/time';
import { recordPluginChanges } from '#core/administration/use-cases';
import type { AuditEntry } from '#core/kernel/services/audit';
import { Unavailable } from '#core/kernel/errors';
import type { PluginRecord } from '#core/kernel/services/plugin-inventory';
import { knownPluginStore } from '#plugins/administration/known-plugins/store';
import { quietLog } from '#test/contracts/storage/storage-engines';

function world() {
  const clock = fixedClock('2030-01-01T00:00:00Z');
  const { database, unitOfWork, locks } = openMemory({ clock, ids: systemIds, log: quietLog });
  const entries: AuditEntry[] = [];
  const state = { enabled: ['a', 'b'], log: true };
  const parts: Parameters<typeof recordPluginChanges>[0] = {
    known: knownPluginStore.memory(database),
    inventory: {
      list: async () =>
        ['a', 'b', 'c'].map((name) => ({ name, enabled: state.enabled.includes(name) }) as unknown as PluginRecord),
    },
    audit: {
      append: async (entry) => {
        if (!state.log) throw new Unavailable('The audit log is not available');
        entries.push(entry);
      },
    },
    unitOfWork,
    locks,
    clock,
  };
  return {
    state,
    start: () => recordPluginChanges(parts),
    told: () =>
      entries.splice(0).map(({ action, resource, actorUsername }) => `${action} ${resource} ${actorUsername}`),
  };
}

void t.test('each change is recorded once, and the first start records all enabled plugins', async (t) => {
  const { state, start, told } = world();
  await start();
  t.strictSame(told(), ['plugin.enabled plugin:a system', 'plugin.enabled plugin:b system']);
  await start();
  t.strictSame(told(), []);
  state.enabled = ['b', 'c'];
  await Promise.all([start(), start()]);
  t.strictSame(told(), ['plugin.enabled plugin:c system', 'plugin.disabled plugin:a system']);
});

void t.test('without an audit log the start succeeds, and the next start with one records the changes', async (t) => {
  const { state, start, told } = world();
  state.log = false;
  await start();
  t.strictSame(told(), []);
  state.log = true;
  await start();
  t.strictSame(told(), ['plugin.enabled plugin:a system', 'plugin.enabled plugin:b system']);
});
