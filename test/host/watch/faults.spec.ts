// Plugins that hang, leak errors or loop: which plugin is blamed, and the effect on others.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { on } from '#core/kernel/storage/events';
import type { Log } from '#core/kernel/services/log';
import type { Configuration } from '#host/configuration/configuration';
import { Attribution, outsidePlugins } from '#host/watch/attribution';
import { runJobs } from '#host/contributions/jobs';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import { Life, type Made } from '#host/plugin/life';
import { parkedCounts } from '#host/storage/dead-letters';
import { UncaughtErrors } from '#host/watch/uncaught-errors';
import { startedMachine } from '../machine.ts';
import type {} from '../sample-ports.ts';

const base = { version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };
const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const never = (): Promise<never> => new Promise(() => undefined);

/** A log that stores warnings and errors. */
function heard() {
  const lines: { readonly members: object; readonly message: string }[] = [];
  const said = (members: object, message: string): void => void lines.push({ members, message });
  const log: Log = { ...silent, warn: said, error: said };
  return { lines, log };
}

/** A plugin that emits events for others. */
const speaker = definePlugin({
  ...base,
  name: 'speaker',
  needs: ['Events', 'UnitOfWork'],
  emits: ['sample.happened'],
  build: ({ Events, UnitOfWork }) => ({
    say: (what: string) =>
      UnitOfWork.run(() => Events.emit({ type: 'sample.happened', aggregate: 'sample:1', payload: { what } })),
  }),
  start: async ({ say }) => {
    await say('hello');
  },
});

for (const delivery of ['durable', 'broadcast'] as const)
  void t.test(
    `a ${delivery} handler that hangs is aborted and named; handlers of others get their events`,
    async (t) => {
      const { lines, log } = heard();
      const aborted = Promise.withResolvers<unknown>();
      const seen = Promise.withResolvers<string>();
      const host = await startedMachine(
        [
          speaker,
          definePlugin({
            ...base,
            name: 'sleeper',
            events: () => [
              on('sample.happened', {
                name: 'listen',
                delivery,
                handle: (_event, signal) => {
                  signal.addEventListener('abort', () => aborted.resolve(signal.reason), { once: true });
                  return never();
                },
              }),
            ],
          }),
          definePlugin({
            ...base,
            name: 'awake',
            events: () => [
              on('sample.happened', {
                name: 'listen',
                delivery,
                handle: async ({ payload }) => seen.resolve(payload.what),
              }),
            ],
          }),
        ],
        { log, limits: { handler: 20 } },
      );
      t.equal(await seen.promise, 'hello');
      t.match(await aborted.promise, {
        message: 'The handler "listen" of plugin "sleeper" took longer than 0.02 s',
      });
      await host.stop();
      t.match(lines[0], {
        members: { plugin: 'sleeper', subscription: 'listen', error: /plugin "sleeper" took longer than 0.02 s/ },
      });
    },
  );

void t.test('a job that takes too long is aborted, named, and degrades its plugin until it ends', async (t) => {
  const { lines, log } = heard();
  const alive = setInterval(() => undefined, 1_000);
  t.teardown(() => clearInterval(alive));
  const told: (string | undefined)[] = [];
  const ended = Promise.withResolvers<void>();
  const other = Promise.withResolvers<void>();
  const jobs = runJobs(
    [
      {
        plugin: 'a',
        job: {
          name: 'sweep',
          everySeconds: 0.001,
          run: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
        },
      },
      { plugin: 'b', job: { name: 'dust', everySeconds: 0.001, run: async () => other.resolve() } },
    ],
    {
      locks: { exclusive: (_name, work) => work() },
      leads: async () => true,
      logOf: () => log,
      limit: 10,
      overdue: (_owned, sentence) => {
        told.push(sentence);
        if (sentence === undefined) ended.resolve();
      },
    },
  );
  await other.promise;
  await ended.promise;
  await jobs.stop(1_000);
  t.strictSame(told.slice(0, 2), ['The job "sweep" took longer than 0.01 s', undefined]);
  t.match(lines[0], { members: { plugin: 'a', job: 'sweep' }, message: 'job took too long and was told to end' });
});

void t.test('a probe that hangs is named with its time limit, and is not called again meanwhile', async (t) => {
  let asked = 0;
  const host = await startedMachine(
    [
      definePlugin({
        ...base,
        name: 'a',
        onFailure: 'isolate',
        probes: () => [
          {
            name: 'mirror',
            check: () => {
              asked += 1;
              return never();
            },
          },
        ],
      }),
    ],
    { log: silent, limits: { probe: 10 } },
  );
  t.teardown(() => host.stop());
  t.strictSame(await host.machine.readiness(), { ready: true, degraded: ['a'] });
  t.strictSame(host.stateOf('a'), { state: 'degraded', reason: 'The probe "mirror" of "a" took longer than 0.01 s' });
  t.equal(asked, 1);
});

void t.test('plugins with dead letters are degraded in the readiness of a ready server', async (t) => {
  const host = await startedMachine(
    [
      speaker,
      definePlugin({
        ...base,
        name: 'deaf',
        events: () => [
          on('sample.happened', {
            name: 'listen',
            delivery: 'durable',
            handle: async () => {
              throw new Error('what?');
            },
          }),
        ],
      }),
    ],
    { log: silent, attempts: 1 },
  );
  t.teardown(() => host.stop());
  await host.storage.drained();
  t.strictSame(await host.machine.readiness(), { ready: true, degraded: ['deaf'] });
  t.strictSame(await parkedCounts(host.storage), new Map([['deaf', 1]]));
  await host.storage.deliveries.drop('deaf');
  t.strictSame(await parkedCounts(host.storage), new Map());
});

const isolated = (name: string): Life => {
  const life = new Life({ ...base, name, onFailure: 'isolate' } as PluginDefinition);
  for (const state of ['checked', 'ordered', 'migrated', 'built', 'started'] as const) life.to(state);
  return life;
};

void t.test(
  'an uncaught error of an isolated plugin degrades it and is logged at intervals; others end the process',
  (t) => {
    const { lines, log } = heard();
    const attribution = new Attribution([{ name: 'a' }, { name: 'b' }]);
    const [a, b] = [isolated('a'), new Life({ ...base, name: 'b' } as PluginDefinition)];
    const strays = new UncaughtErrors([a, b], attribution, log);
    for (let n = 0; n < 3; n += 1)
      t.strictSame(
        attribution.run('a', () => strays.take(new Error('no bell\nat all'))),
        { plugin: 'a', contained: true },
      );
    t.match(
      { state: a.state, reason: a.reason },
      { state: 'degraded', reason: 'An error of it was not caught: no bell' },
    );
    t.equal(lines.length, 1);
    t.match(lines[0], { members: { plugin: 'a', err: { message: 'no bell\nat all' } } });
    t.strictSame(
      attribution.run('b', () => strays.take(new Error('no'))),
      { plugin: 'b', contained: false },
    );
    t.strictSame(strays.take(new Error('ours')), { plugin: undefined, contained: false });
    t.end();
  },
);

void t.test('an uncaught error during the start of its plugin makes the start fail', async (t) => {
  const life = isolated('a');
  const attribution = new Attribution([{ name: 'a' }]);
  const strays = new UncaughtErrors([life], attribution, silent);
  const start = strays.during(life, never);
  attribution.run('a', () => strays.take(new Error('no bell')));
  await t.rejects(start, { message: 'no bell' });
});

void t.test('an abandoned start that ends later does not affect the current start', async (t) => {
  const [slow, next] = [isolated('slow'), isolated('next')];
  const attribution = new Attribution([{ name: 'next' }]);
  const strays = new UncaughtErrors([slow, next], attribution, silent);
  const release = Promise.withResolvers<void>();
  const given = strays.during(slow, () => release.promise);
  const start = strays.during(next, never);
  release.resolve();
  await given;
  attribution.run('next', () => strays.take(new Error('no bell')));
  await t.rejects(start, { message: 'no bell' });
});

void t.test('an error is attributed by its stack: module, folder or package, and never our own files', (t) => {
  const folder = t.testdir({ one: { 'plugin.js': '' }, shared: { 'a.js': '', 'b.js': '' } });
  const packaged = '/srv/app/node_modules/@bells/bell/dist/plugin.js';
  const attribution = new Attribution([
    { name: 'one', file: join(folder, 'one/plugin.js') },
    { name: 'a', file: join(folder, 'shared/a.js') },
    { name: 'b', file: join(folder, 'shared/b.js') },
    { name: 'bell', file: packaged },
    { name: 'root', file: join(import.meta.dirname, '../../../plugin.ts') },
  ]);
  const thrown = (...frames: readonly string[]): string | undefined => {
    const error = new Error('no');
    error.stack = ['Error: no', ...frames.map((frame) => `    at ring (${frame}:3:7)`)].join('\n');
    return attribution.culprit(error);
  };
  const url = (path: string): string => pathToFileURL(path).href;
  t.equal(thrown('node:internal/timers', url(join(folder, 'one/plugin.js'))), 'one');
  t.equal(thrown(url(join(folder, 'one/deeper/bell.js'))), 'one');
  t.equal(thrown(join(folder, 'one/bell.cjs')), 'one');
  t.equal(thrown(url(join(folder, 'shared/b.js'))), 'b');
  t.equal(thrown(url(join(folder, 'shared/common.js'))), undefined, 'two plugins are possible');
  t.equal(thrown(url('/srv/app/node_modules/@bells/bell/src/x.js')), 'bell');
  t.equal(thrown(url('/srv/app/node_modules/@bells/other/x.js')), undefined);
  t.equal(thrown(url(join(import.meta.dirname, '../../../host/boot/boot.ts'))), undefined, 'ours');
  t.equal(thrown(url(join(import.meta.dirname, '../../../plugin.ts'))), 'root');
  t.equal(
    attribution.run('one', () => thrown(url(packaged), url(join(folder, 'one/plugin.js')))),
    'bell',
    'a call through a port is attributed to its provider',
  );
  t.equal(
    attribution.run('one', () => thrown('node:internal/timers')),
    'one',
    'otherwise to the plugin that is running',
  );
  t.end();
});

void t.test('a package with import-only exports is recognized in the stack too', (t) => {
  const manifest = (name: string) => JSON.stringify({ name, type: 'module', exports: { import: './dist/plugin.js' } });
  const folder = t.testdir({
    node_modules: {
      bell: { 'package.json': manifest('bell'), dist: { 'plugin.js': '' } },
      '@bells': { gong: { 'package.json': manifest('@bells/gong'), dist: { 'plugin.js': '' } } },
    },
  });
  const plugins = [
    ['bell', 'bell'],
    ['gong', '@bells/gong'],
    ['none', 'none'],
  ].map(([name, module]) => ({ name, module, resolveFrom: folder, enabled: true, standard: false, config: {} }));
  const attribution = new Attribution(outsidePlugins({ plugins } as unknown as Configuration));
  const thrown = (path: string): string | undefined => {
    const error = new Error('no');
    error.stack = `Error: no\n    at ring (${pathToFileURL(join(folder, 'node_modules', path)).href}:3:7)`;
    return attribution.culprit(error);
  };
  t.equal(thrown('bell/dist/plugin.js'), 'bell');
  t.equal(thrown('@bells/gong/dist/plugin.js'), 'gong');
  t.equal(thrown('other/dist/plugin.js'), undefined);
  t.end();
});

void t.test('a call into a standard plugin is not attributed, and ends the attribution to an external one', (t) => {
  const attribution = new Attribution([{ name: 'a' }]);
  const culprit = () => attribution.culprit(undefined);
  t.equal(attribution.run('standard', culprit), undefined);
  t.equal(attribution.run('a', culprit), 'a');
  t.equal(
    attribution.run('a', () => attribution.run('standard', culprit)),
    undefined,
  );
  const made = { routes: [], events: [], jobs: [], probes: [] } as Partial<Made> as Made;
  t.equal(attribution.followed('standard', made), made, 'nothing of it is wrapped');
  t.end();
});

void t.test('plugins that hang in stop each get half of the remaining time, and the others are stopped', async (t) => {
  const stopped: string[] = [];
  const hanging = (name: string) =>
    definePlugin({
      ...base,
      name,
      stop: () => {
        stopped.push(name);
        return never();
      },
    });
  const host = await startedMachine(
    [
      definePlugin({
        ...base,
        name: 'good',
        stop: async () => {
          stopped.push('good');
        },
      }),
      ...['a', 'b', 'c', 'd'].map(hanging),
    ],
    { log: silent },
  );
  await host.stop(200);
  t.strictSame(stopped, ['d', 'c', 'b', 'a', 'good']);
});
