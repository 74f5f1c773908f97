// A host over memory storage, for specs that need more access than a test host gives.
import { aesSealer } from '#adapters/crypto/sealer';
import { openMemory } from '#adapters/memory/index';
import { currentCaller } from '#adapters/system/current-caller';
import { systemClock, systemIds } from '#adapters/system/time';
import { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
import type { Log } from '#core/kernel/services/log';
import { Attribution } from '#host/watch/attribution';
import { Machine } from '#host/boot/boot';
import type { PluginDefinition } from '#host/plugin/definition';
import type { Limits } from '#host/configuration/limits';
import type { Plan } from '#host/plugin/plan';
import { hostProviders } from '#host/boot/providers';

export interface MachineOptions {
  readonly log: Log;
  readonly limits?: Partial<Limits>;
  /** How often an event is delivered to a handler that fails. */
  readonly attempts?: number;
  /** Names of external plugins. */
  readonly outside?: readonly string[];
}

/** Builds and starts the host. */
export async function startedMachine(
  definitions: readonly PluginDefinition[],
  { log, limits = {}, attempts = 10, outside = [] }: MachineOptions,
) {
  const plan: Plan = {
    enabled: definitions,
    disabled: [],
    providers: {},
    settings: {},
    configOf: () => ({}),
    mountOf: () => 'anywhere',
    isOutside: (plugin) => outside.includes(plugin),
  };
  const [clock, ids] = [systemClock, systemIds];
  const storage = {
    ...openMemory({ clock, ids, log, tuning: { attempts, pause: 5, closing: 20 } }),
    column: 'memory',
  } as const;
  const sealer = aesSealer(new Uint8Array(32));
  const machine = new Machine({
    plan,
    storage,
    logOf: () => log,
    limits,
    attribution: new Attribution(outside.map((name) => ({ name }))),
    instance: { baseUrl: '', webUrl: '', dataDir: '/nonexistent', version: '0', announce: () => undefined },
    own: hostProviders({
      plan,
      storage,
      clock,
      ids,
      sealer,
      rateCounter: memoryRateCounter(),
      currentCaller: currentCaller(),
    }),
  });
  await machine.migrate();
  await machine.build();
  await machine.start();
  return {
    machine,
    storage,
    stateOf: (plugin: string) => {
      const life = machine.lives.find(({ name }) => name === plugin);
      return { state: life?.state, reason: life?.reason };
    },
    async stop(budgetMs?: number): Promise<void> {
      await machine.stop(budgetMs);
      await storage.close();
    },
  };
}
