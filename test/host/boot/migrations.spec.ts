// Rejected migrations in the host: their plugin fails, dependents are skipped, the others are started.
import t from 'tap';
import { NotFound } from '#core/kernel/errors';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import { type MigrationOutcome, type MigrationSet, StorageRefused } from '#adapters/postgres/index';
import { Machine } from '#host/boot/boot';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import { told, Refused } from '#host/problems/problem';
import { migrate, type OpenForge } from '#host/server/forge';
import type { OpenStorage } from '#host/storage/storage';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { greeter } from '../sample-ports.ts';

const base = { version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };

/** A host over a database that rejects the migrations of `a`, and the migrations that it was given. */
function machineOf(definitions: readonly PluginDefinition[]) {
  const given: MigrationSet[] = [];
  const memory = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const storage = {
    ...memory,
    column: 'sql',
    migrate: async (sets: readonly MigrationSet[]): Promise<readonly MigrationOutcome[]> => {
      given.push(...sets);
      return [
        { plugin: 'a', steps: [], refused: new StorageRefused('The migration "001" of "a" failed', 'Mend it') },
        { plugin: 'd', steps: ['001'] },
      ];
    },
  } as unknown as OpenStorage;
  const machine = new Machine({
    plan: {
      enabled: definitions,
      disabled: [],
      providers: {},
      settings: {},
      configOf: () => ({}),
      isOutside: () => false,
      mountOf: () => 'own',
    },
    storage,
    logOf: () => quietLog,
    limits: { start: 1000, stop: 1000 },
    instance: { baseUrl: '', webUrl: '', dataDir: '/nonexistent', version: '1.0.0', announce: () => undefined },
    own: () => ({}),
  });
  return { machine, given };
}

const definitions = (onFailure: 'isolate' | 'fail'): readonly PluginDefinition[] => [
  definePlugin({
    ...base,
    name: 'a',
    onFailure,
    tables: ['a_thing'],
    migrations: [{ name: '001', up: [] }],
    provides: { SampleGreeter: () => greeter('a') },
  }),
  definePlugin({ ...base, name: 'b', needs: ['SampleGreeter'], provides: { SampleExtra: () => greeter('b') } }),
  definePlugin({
    ...base,
    name: 'c',
    needs: ['SampleExtra'],
    references: ['a_thing'],
    migrations: [{ name: '001', up: [] }],
  }),
  definePlugin({ ...base, name: 'd', migrations: [{ name: '001', up: [] }] }),
];

void t.test('a plugin whose migrations are rejected is isolated, and its dependents are skipped', async (t) => {
  const { machine, given } = machineOf(definitions('isolate'));
  t.strictSame(
    (await machine.migrate()).map(({ plugin }) => plugin),
    ['a', 'd'],
  );
  await machine.build();
  t.strictSame(
    machine.lives.map(({ name, state, reason }) => [name, state, reason]),
    [
      ['a', 'failed', 'The migration "001" of "a" failed'],
      ['b', 'skipped', 'It needs SampleGreeter of "a", which failed'],
      ['c', 'skipped', 'It needs SampleExtra of "b", which was skipped'],
      ['d', 'built', undefined],
    ],
  );
  t.strictSame(
    given.map(({ plugin, tables, references, after }) => ({ plugin, tables, references, after })),
    [
      { plugin: 'a', tables: ['a_thing'], references: [], after: [] },
      { plugin: 'c', tables: [], references: ['a_thing'], after: ['b', 'a'] },
      { plugin: 'd', tables: [], references: [], after: [] },
    ],
    'the database gets the dependencies, also through plugins without tables',
  );
});

void t.test('without isolation the start is rejected', async (t) => {
  await t.rejects(
    machineOf(definitions('fail')).machine.migrate(),
    new Refused([
      { code: 'plugin_migrate_failed', plugin: 'a', message: 'The migration "001" of "a" failed', remedy: 'Mend it' },
    ]),
  );
});

void t.test('a start says the sentence and the remedy of the rejected migration, and nothing else', async (t) => {
  const { machine } = machineOf(definitions('fail'));
  const error = await migrate({ machine } as unknown as OpenForge).catch((thrown: unknown) => thrown);
  t.strictSame(error instanceof Refused && error.problems, [
    { code: 'plugin_migrate_failed', plugin: 'a', message: 'The migration "001" of "a" failed', remedy: 'Mend it' },
  ]);
});

void t.test('a database that fails during the migrations is named with its cause', async (t) => {
  const machine = {
    migrate: async () => {
      throw new Error('no disk');
    },
  };
  const error = await migrate({ machine } as unknown as OpenForge).catch((thrown: unknown) => thrown);
  t.match(error, { problems: [{ code: 'storage_failed', message: 'The database cannot be used: no disk' }] });
});

void t.test('a critical plugin that cannot run has the remedy of the plugin that failed', async (t) => {
  const [a] = definitions('isolate');
  const critical = definePlugin({
    ...base,
    name: 'e',
    needs: ['SampleGreeter'],
    provides: { SampleCritical: () => greeter('e') },
  });
  await t.rejects(
    machineOf([...(a === undefined ? [] : [a]), critical]).machine.migrate(),
    new Refused([
      {
        code: 'critical_skipped',
        plugin: 'e',
        message:
          'Plugin "e" cannot run: it needs SampleGreeter of "a", which failed: The migration "001" of "a" failed',
        remedy: 'Mend it. To disable "a", disable "e" too: HEXFORGE_PLUGINS=-a,-e',
      },
    ]),
  );
});

void t.test('the text of an error has its remedy, whatever kind of error it is', async (t) => {
  t.equal(told(new Error('no luck')), 'no luck');
  t.equal(
    told(new NotFound('There is no account "x"', { detail: 'Check the name' })),
    'There is no account "x". Check the name.',
  );
  t.equal(told(new StorageRefused('It failed', 'Mend it')), 'It failed. Mend it.');
  t.equal(told(new Refused([{ code: 'x', message: 'It is bad', remedy: 'Mend it' }])), 'It is bad. Mend it.');
});
