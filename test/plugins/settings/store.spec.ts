// The store of settings on every engine, and changes that are seen by two processes with one database.
import { rawSql } from 'hexforge/plugin';
import t from 'tap';
import { aesSealer } from '#adapters/crypto/sealer';
import { fixedClock, openMemory, type MemoryStorage } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { AuditEntry } from '#core/kernel/services/audit';
import type { Call, User } from '#core/kernel/caller';
import { settingCatalogue, type SettingDeclaration } from '#core/kernel/services/settings';
import { settingsUseCases } from '#core/settings/use-cases';
import settingsPlugin from '#plugins/settings/plugin';
import { settingStore } from '#plugins/settings/settings/store';
import { SettingTable } from '#plugins/settings/tables';
import { contract, firstFailure, type Made } from '../../contracts/checks.ts';
import { settingStoreChecks, type SettingStoreUnderTest } from '../../contracts/stores/setting-store.ts';
import {
  eachEngine,
  eachSqlEngine,
  quietLog,
  setOf,
  testData,
  testEngines,
} from '../../contracts/storage/storage-engines.ts';

const schema = { entities: [SettingTable], migrations: [setOf(settingsPlugin)] };

const storeOf = (storage: MemoryStorage | PostgresStorage) =>
  storage.engine === 'memory'
    ? settingStore.memory((storage as MemoryStorage).database)
    : settingStore.sql((storage as PostgresStorage).database);

async function onMemory(): Promise<Made<SettingStoreUnderTest>> {
  const storage = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  return {
    provider: { store: storeOf(storage), unitOfWork: storage.unitOfWork },
    dispose: () => storage.close(),
  };
}

void t.test('the contract suite finds mutants', async (t) => {
  const breaks: Readonly<Record<string, object>> = {
    'a lost write': { put: async () => undefined },
    'nothing is found': { all: async () => [] },
  };
  for (const [name, broken] of Object.entries(breaks)) {
    const make = async () => {
      const made = await onMemory();
      return { ...made, provider: { ...made.provider, store: { ...made.provider.store, ...broken } } };
    };
    t.type(await firstFailure(settingStoreChecks, make, 2000), 'string', name);
  }
});

void t.test('stores of settings', (t) =>
  eachEngine(t, async (t, engine, data) => {
    if (engine === 'memory') return contract(t, engine, settingStoreChecks, onMemory);
    const storage = (await data.open(schema)) as PostgresStorage;
    return contract(t, engine, settingStoreChecks, async () => {
      await rawSql`delete from settings_setting`.execute(storage.database.kysely<Record<never, never>>());
      return {
        provider: { store: storeOf(storage), unitOfWork: storage.unitOfWork },
        dispose: async () => undefined,
      };
    });
  }),
);

const declared: readonly SettingDeclaration[] = [
  { key: 'shop.size', type: 'integer', default: 0, min: 0, max: 1000, description: '' },
  { key: 'shop.secret', type: 'string', default: '', sensitive: true, description: '' },
] as unknown as readonly SettingDeclaration[];

/** One of several processes on a database, wired like in the plugin. */
async function oneProcess(storage: MemoryStorage | PostgresStorage, entries: AuditEntry[]) {
  const useCases = settingsUseCases({
    store: storeOf(storage),
    // A fixed clock: cached values never become stale, so a change must have arrived as an event.
    clock: fixedClock('2030-01-01T00:00:00Z'),
    log: quietLog,
    catalogue: settingCatalogue([{ name: 'shop', settings: declared }], {}),
    sealer: aesSealer(new Uint8Array(32)),
    unitOfWork: storage.unitOfWork,
    events: storage.events,
    audit: { append: async (entry) => void entries.push(entry) },
  });
  const subscriptions = settingsPlugin.events?.(useCases as never, undefined as never) ?? [];
  await storage.deliver(subscriptions.map((subscription) => ({ plugin: 'settings', subscription })));
  const call = { caller: { kind: 'user', id: systemIds.uuid() }, now: new Date() } as unknown as Call<User>;
  return {
    get: (key: string) => useCases.settings.get(key as never) as Promise<unknown>,
    write: (changes: Readonly<Record<string, string>>) =>
      useCases.administration.write(
        call,
        Object.entries(changes).map(([key, value]) => ({ key, value })),
      ),
  };
}

async function within2Seconds({ get }: Awaited<ReturnType<typeof oneProcess>>, size: unknown): Promise<unknown> {
  const deadline = Date.now() + 2000;
  while ((await get('shop.size')) !== size && Date.now() < deadline)
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  return get('shop.size');
}

const twoProcesses = (): unknown =>
  t.test('two processes on one PostgreSQL', async (t) => {
    const data = await testData(t, 'postgresql');
    const entries: AuditEntry[] = [];
    const one = await oneProcess(await data.open(schema), entries);
    const other = await oneProcess(await data.open(schema), entries);

    await t.test('a change in one process takes effect in the other within two seconds, cached or not', async (t) => {
      for (let round = 1; round <= 5; round += 1) {
        const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
        t.equal(await reader.get('shop.size'), round - 1, 'cached by the reader');
        await writer.write({ 'shop.size': String(round), 'shop.secret': `secret ${round}` });
        t.equal(await writer.get('shop.size'), round, 'immediately in its own process');
        t.equal(await within2Seconds(reader, round), round);
        t.equal(await reader.get('shop.secret'), `secret ${round}`);
      }
    });

    await t.test(
      '40 concurrent changes in both processes lose none: each audit entry starts with the value of the last',
      async (t) => {
        entries.length = 0;
        await Promise.all(
          Array.from({ length: 40 }, (_, index) => {
            const changes = { 'shop.size': String(100 + index), 'shop.secret': `x${index}` };
            // In both orders: two batches with each other's setting could deadlock.
            const ordered = index % 4 < 2 ? changes : Object.fromEntries(Object.entries(changes).toReversed());
            return (index % 2 === 0 ? one : other).write(ordered);
          }),
        );
        const sizes = entries.filter(({ resource }) => resource === 'setting:shop.size').map(({ details }) => details);
        t.equal(sizes.length, 40);
        t.strictSame(
          sizes.map(({ from }) => from),
          [5, ...sizes.slice(0, -1).map(({ to }) => to)],
        );
        const last = sizes.at(-1)?.['to'];
        for (const reader of [one, other]) t.equal(await within2Seconds(reader, last), last);
      },
    );
  });
if (testEngines().includes('postgresql')) void twoProcesses();

void t.test('a purge removes the stored settings of the plugin', (t) =>
  eachSqlEngine(t, async (t, bare, data) => {
    await bare.close();
    const storage = (await data.open(schema)) as PostgresStorage;
    const store = storeOf(storage);
    const setting = (key: string) => ({ key, text: 'x', sealed: false, updatedAt: new Date(0) });
    await storage.unitOfWork.run(async () => {
      await store.put(setting('bell.word'), 'bell');
      await store.put(setting('bell.tower.height'), 'bell-tower');
    });
    t.strictSame((await storage.purge.purge('bell', [])).records, [{ table: 'settings_setting', rows: 1 }]);
    t.strictSame(
      (await store.all()).map(({ key }) => key),
      ['bell.tower.height'],
    );
  }),
);
