// Fixtures for specs of settings: use cases on an in-memory store that counts its reads, with a settable clock.
import { aesSealer } from '#adapters/crypto/sealer';
import { fixedClock, Memory, openMemory } from '#adapters/memory/index';
import { systemIds } from '#adapters/system/time';
import type { AuditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { on, type EventOf } from '#core/kernel/storage/events';
import type { Log } from '#core/kernel/services/log';
import { settingCatalogue, type SettingDeclaration } from '#core/kernel/services/settings';
import type { SettingStore } from '#core/settings/index';
import { settingsUseCases } from '#core/settings/use-cases';
import { settingStore } from '#plugins/settings/settings/store';
import { quietLog } from '#test/contracts/storage/storage-engines';

declare module '#core/kernel/services/settings' {
  interface SettingValues {
    'shop.open': boolean;
    'shop.size': number;
    'shop.name': string;
    'shop.secret': string;
  }
}

export const declarations: readonly SettingDeclaration[] = [
  { key: 'shop.size', type: 'integer', default: 3, min: -5, max: 9, description: 'How large' },
  { key: 'shop.open', type: 'boolean', default: false, description: 'Whether it is open' },
  { key: 'shop.name', type: 'string', default: 'corner', maxLength: 20, description: 'What it is called' },
  { key: 'shop.secret', type: 'string', default: '', sensitive: true, description: 'What nobody may know' },
];

const caller = {
  kind: 'user',
  id: '00000000-0000-4000-8000-000000000001',
  username: 'ada',
  isAdmin: true,
  credential: { kind: 'session', id: 's' },
} as unknown as User;

export interface WorldOptions {
  readonly declared?: readonly SettingDeclaration[];
  readonly configured?: Readonly<Record<string, unknown>>;
  /** The memory of an earlier world. */
  readonly memory?: Memory;
  /** The keys of the sealer, newest first. */
  readonly keys?: readonly number[];
  readonly audit?: (entry: AuditEntry) => Promise<void>;
}

export function world({ declared = declarations, configured = {}, memory, keys = [0], audit }: WorldOptions = {}) {
  const clock = fixedClock('2030-01-01T00:00:00Z');
  const secretKeys = keys.map((key) => new Uint8Array(32).fill(key));
  const kept = memory ?? new Memory();
  const storage = openMemory({ clock, ids: systemIds, log: quietLog, memory: kept });
  const stored = settingStore.memory(storage.database);
  const counts = { reads: 0 };
  /** Awaited by each read after it has read. */
  const slow = { read: async (): Promise<void> => undefined };
  const store: SettingStore = {
    ...stored,
    async all() {
      counts.reads += 1;
      const { read } = slow;
      const all = await stored.all();
      await read();
      return all;
    },
  };
  const entries: AuditEntry[] = [];
  const events: EventOf[] = [];
  const warnings: string[] = [];
  const log: Log = {
    ...quietLog,
    warn: (members, message) => void warnings.push(`${JSON.stringify(members)} ${message}`),
  };
  const useCases = settingsUseCases({
    store,
    clock,
    log,
    catalogue: settingCatalogue([{ name: 'shop', settings: declared }], configured),
    sealer: aesSealer({ all: () => secretKeys, reload: () => undefined }),
    unitOfWork: storage.unitOfWork,
    events: storage.events,
    audit: { append: audit ?? (async (entry) => void entries.push(entry)) },
  });
  const call: Call<User> = {
    caller,
    requestId: 'r',
    ip: '192.0.2.1',
    userAgent: 'test',
    signal: new AbortController().signal,
    now: clock.now(),
    renew: async () => call,
  };
  return {
    ...useCases,
    memory: kept,
    clock,
    storage,
    stored,
    counts,
    slow,
    entries,
    events,
    warnings,
    call,

    get: useCases.settings.get,
    write: (changes: Readonly<Record<string, string>>) =>
      useCases.administration.write(
        call,
        Object.entries(changes).map(([name, value]) => ({ key: name, value })),
      ),
    listen: () =>
      storage.deliver([
        {
          plugin: 'test',
          subscription: on('setting.changed', {
            name: 'listen',
            delivery: 'durable',
            handle: async (event) => void events.push(event),
          }),
        },
      ]),
  };
}
