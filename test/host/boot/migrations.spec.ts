// Rejected migrations in the host: their plugin fails, dependents are skipped, the others are started.
import t from 'tap';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import { type MigrationOutcome, type MigrationSet, StorageRefused } from '#adapters/postgres/index';
import { Machine } from '#host/boot/boot';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import { Refused } from '#host/problems/problem';
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
