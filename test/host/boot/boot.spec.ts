// The lifecycle of the host: build, start, serve, fail, isolate, stop.
import t from 'tap';
import { api, type Route } from '#adapters/http/descriptor/route';
import { anyone } from '#core/kernel/access/access';
import { Unavailable } from '#core/kernel/errors';
import { on } from '#core/kernel/storage/events';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import { Refused, bareHost, type BareHostOptions } from '#host/sdk/testing';
import { greeter, type Greeter } from '../sample-ports.ts';

const base = { version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };
const route = (id: string, path: string) =>
  api({
    id,
    summary: 'A sample',
    method: 'GET',
    path,
    access: anyone,
    scope: null,
    meter: 'none',
    result: 'empty',
    success: 204,
    run: () => undefined,
  });

/** A plugin that records its lifecycle. */
const noting = (name: string, notes: string[], rest: Partial<PluginDefinition> = {}): PluginDefinition => ({
  ...definePlugin({
    ...base,
    name,
    build: () => {
      notes.push(`build ${name}`);
    },
    start: async () => {
      notes.push(`start ${name}`);
    },
    stop: async () => {
      notes.push(`stop ${name}`);
    },
  }),
  ...rest,
});

/** The rejection of the boot; the test fails if the boot succeeds. */
async function refusal(
  t: { readonly name: string },
  definitions: readonly PluginDefinition[],
  options?: BareHostOptions,
): Promise<Refused> {
  try {
    const host = await bareHost(definitions, options);
    await host.stop();
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
  throw new Error(`${t.name}: the boot was not refused`);
}

void t.test('plugins are built, then started, in the order of needs, and stopped in reverse', async (t) => {
  const notes: string[] = [];
  const host = await bareHost([
    noting('c', notes, { needs: ['SampleGreeter'] }),
    noting('a', notes),
    noting('b', notes, { provides: { SampleGreeter: () => greeter('b') } }),
  ]);
  t.strictSame(notes, ['build b', 'build c', 'build a', 'start b', 'start c', 'start a']);
  t.strictSame(host.states(), {
    b: { state: 'started', reason: undefined },
    c: { state: 'started', reason: undefined },
    a: { state: 'started', reason: undefined },
  });
  notes.length = 0;
  await Promise.all([host.stop(), host.stop()]);
  t.strictSame(notes, ['stop a', 'stop c', 'stop b'], 'once, however often stop is called');
  t.strictSame(
    Object.values(host.states()).map(({ state }) => state),
    ['stopped', 'stopped', 'stopped'],
  );
});

void t.test('a builder receives exactly what it declared', async (t) => {
  let seen: unknown;
  const host = await bareHost([
    definePlugin({ ...base, name: 'a', provides: { SampleGreeter: () => greeter('hello') } }),
    definePlugin({
      ...base,
      name: 'b',
      needs: ['SampleGreeter', 'Clock', 'SampleExtra', 'SampleVoices'],
      build: async (context) => {
        t.equal(await context.SampleGreeter.greet(), 'hello');
        t.type(context.Clock.now(), Date);
        t.equal(context.SampleExtra, undefined);
        t.strictSame(context.SampleVoices, []);
        t.throws(() => Reflect.get(context, 'Ids') as unknown, {
          message: 'Plugin "b" uses the port Ids, which is not in its `needs`',
          detail: 'Add it to `needs` of its definition',
        });
        seen = context.SampleGreeter;
      },
    }),
  ]);
  t.teardown(() => host.stop());
  t.equal(seen, host.port('SampleGreeter'), 'all plugins get the same object');
});

void t.test('plural ports keep the order of the configuration, whatever the order of building', async (t) => {
  const voice = (name: string, needs: readonly 'SampleGreeter'[] = []) =>
    definePlugin({ ...base, name, needs, provides: { SampleVoices: () => greeter(name) } });
  const host = await bareHost([
    voice('c', ['SampleGreeter']),
    voice('a'),
    definePlugin({
      ...base,
      name: 'b',
      provides: { SampleGreeter: () => greeter('b'), SampleVoices: () => greeter('b') },
    }),
  ]);
  t.teardown(() => host.stop());
  t.strictSame(await Promise.all(host.port('SampleVoices').map((one) => one.greet())), ['c', 'a', 'b']);
});

void t.test('of several providers the chosen one is used', async (t) => {
  const pair = ['a', 'b'].map((name) =>
    definePlugin({ ...base, name, provides: { SampleGreeter: () => greeter(name) } }),
  );
  const host = await bareHost(pair, { providers: { SampleGreeter: 'b' } });
  t.teardown(() => host.stop());
  t.equal(await host.port('SampleGreeter').greet(), 'b');
});

void t.test(
  'a port without a provider that may be unavailable rejects every call with the name of the component',
  async (t) => {
    let sleepy = greeter('not yet');
    const host = await bareHost([
      definePlugin({
        ...base,
        name: 'a',
        needs: ['SampleUnavailable'],
        build: async ({ SampleUnavailable }) => {
          sleepy = SampleUnavailable;
        },
      }),
    ]);
    t.teardown(() => host.stop());
    await t.rejects(sleepy.greet(), { constructor: Unavailable, message: 'The sleepy greeter is not available' });
  },
);

void t.test('a late need throws before the host has started, and is available afterwards', async (t) => {
  let late: { readonly SampleVoices: readonly Greeter[] } | undefined;
  const host = await bareHost([
    definePlugin({
      ...base,
      name: 'a',
      late: ['SampleVoices'],
      build: (context) => {
        late = context.late;
        t.throws(() => context.late.SampleVoices, {
          message: 'plugin "a" reads its late need SampleVoices before the host has started',
        });
      },
    }),
    definePlugin({ ...base, name: 'b', provides: { SampleVoices: () => greeter('b') } }),
  ]);
  t.teardown(() => host.stop());
  t.equal(late?.SampleVoices.length, 1);
});

void t.test("a plugin may replace the host's rate counter", async (t) => {
  const taken = { limit: 1, remaining: 0, resetAt: new Date(0), exceeded: true };
  const counter = {
    take: async () => taken,
    peek: async () => taken,
    clear: async () => undefined,
    giveBack: async () => undefined,
  };
  const host = await bareHost([definePlugin({ ...base, name: 'a', provides: { RateCounter: () => counter } })]);
  t.teardown(() => host.stop());
  t.equal(host.port('RateCounter'), counter);
});

void t.test('settings are the configuration over the declared defaults', async (t) => {
  const settings = [
    { key: 'sample.size', description: 'A sample', type: 'integer', default: 3, min: 1, max: 9 },
    { key: 'sample.enabled', description: 'A sample', type: 'boolean', default: true },
  ] as const;
  const host = await bareHost([definePlugin({ ...base, name: 'a', settings })], { settings: { 'sample.size': 5 } });
  t.teardown(() => host.stop());
  t.equal(await host.port('Settings').get('sample.size'), 5);
  t.equal(await host.port('Settings').get('sample.enabled'), true);
  await t.rejects(host.port('Settings').get('sample.name'), { message: 'There is no setting "sample.name"' });
});

void t.test('the settings of a failed plugin are removed from the catalogue', async (t) => {
  const declaring = (name: string, key: 'sample.enabled' | 'sample.size', rest: object = {}) =>
    definePlugin({
      ...base,
      name,
      settings: [{ key, description: 'A sample', type: 'boolean', default: true } as never],
      ...rest,
    });
  const fails = async (): Promise<never> => {
    throw new Error('no luck');
  };
  const host = await bareHost([
    declaring('a', 'sample.enabled'),
    declaring('b', 'sample.size', { onFailure: 'isolate', start: fails }),
  ]);
  t.teardown(() => host.stop());
  t.match(host.port('SettingCatalogue').all(), [{ plugin: 'a', configured: true }]);
  t.equal(host.port('SettingCatalogue').all().length, 1);
  await t.rejects(host.port('Settings').get('sample.size'), { name: 'NotFound' });
});

void t.test('a failing build or start rejects the boot, and started plugins are stopped in reverse', async (t) => {
  const notes: string[] = [];
  const chain = (fails: Partial<PluginDefinition>): readonly PluginDefinition[] => [
    noting('a', notes, { provides: { SampleGreeter: () => greeter('a') } }),
    noting('b', notes, { needs: ['SampleGreeter'], ...fails }),
    noting('c', notes),
  ];
  const started = await refusal(
    t,
    chain({
      start: async () => {
        throw new Error('no luck\nsecond line');
      },
    }),
  );
  t.strictSame(started.problems, [
    {
      code: 'plugin_start_failed',
      plugin: 'b',
      message: 'Plugin "b" did not start: no luck',
      remedy: 'Mend the cause, or disable the plugin with HEXFORGE_PLUGINS=-b',
    },
  ]);
  t.strictSame(
    notes,
    ['build a', 'build b', 'build c', 'start a', 'stop b', 'stop a'],
    'the half-started plugin too; c never started',
  );
  notes.length = 0;
  const built = await refusal(
    t,
    chain({
      build: () => {
        throw new Error('no luck');
      },
    }),
  );
  t.match(built.problems, [{ code: 'plugin_build_failed', message: 'Plugin "b" did not build: no luck' }]);
  t.strictSame(notes, ['build a'], 'a build opens nothing, so nothing is stopped');
});

void t.test('an error with its own remedy is reported with its own message', async (t) => {
  const error = Object.assign(new Error('The program "git" is too old'), { remedy: 'Install git 2.40 or later' });
  t.match(
    await refusal(t, [
      definePlugin({
        ...base,
        name: 'a',
        start: async () => {
          throw error;
        },
      }),
    ]),
    { problems: [{ code: 'plugin_start_failed', message: error.message, remedy: error.remedy }] },
  );
});

void t.test('a provider that cannot be made is a failure of its plugin', async (t) => {
  const made = await refusal(t, [
    definePlugin({ ...base, name: 'b', needs: ['SampleGreeter'] }),
    definePlugin({
      ...base,
      name: 'a',
      provides: {
        SampleGreeter: () => {
          throw new Error('no');
        },
      },
    }),
  ]);
  t.match(made.problems, [{ code: 'plugin_build_failed', plugin: 'a' }]);
});

void t.test('a plugin whose routes differ after the build does not start', async (t) => {
  const split = (routes: (parts: { readonly open: boolean }) => readonly Route[]) =>
    definePlugin({ ...base, name: 'a', build: () => ({ open: false }), routes });
  const refused = async (definition: PluginDefinition) => (await refusal(t, [definition])).problems;
  t.strictSame(await refused(split(({ open }) => (open ? [route('a', '/open')] : [route('b', '/shut')]))), [
    {
      code: 'plugin_build_failed',
      plugin: 'a',
      message:
        'Plugin "a" did not build: its routes are not those it told before it was built: "b" GET /shut, "a" GET /open',
      remedy:
        'Let its `routes` go by `config` alone: what else it is given may be used when a route runs, not before; one that needs an optional port names it in `requires`',
    },
  ]);
  t.match(await refused(split(({ open }) => (open ? [] : [{ ...route('a', '/x'), scope: 'sample.read' as never }]))), [
    { message: /: "a" GET \/x scope sample\.read$/ },
  ]);
  t.match(await refused(split(({ open }) => [{ ...route('a', '/x'), ...(open ? {} : { mount: 'root' }) }])), [
    { message: /: "a" GET \/x at the root, "a" GET \/x$/ },
  ]);
  const host = await bareHost([split(({ open }) => [{ ...route('a', '/x'), run: () => open }])]);
  await host.stop();
  t.strictSame(host.routes(), [], 'values that are only passed to a running route make no difference');
});

void t.test('a start or build that hangs is abandoned after its time limit', async (t) => {
  const limits = { start: 20, stop: 1_000 };
  const notes: string[] = [];
  const hanging = () => new Promise<never>(() => undefined);
  t.match(await refusal(t, [noting('a', notes), noting('b', notes, { start: hanging })], { limits }), {
    problems: [{ message: 'Plugin "b" did not start: it took longer than 0.02 s' }],
  });
  t.strictSame(notes.slice(-2), ['stop b', 'stop a']);
  t.match(await refusal(t, [noting('a', [], { build: hanging })], { limits }), {
    problems: [{ code: 'plugin_build_failed' }],
  });
});

void t.test('a stop that hangs or throws does not prevent other plugins from stopping', async (t) => {
  const notes: string[] = [];
  const host = await bareHost(
    [
      noting('a', notes),
      noting('b', notes, {
        stop: async () => {
          throw new Error('no');
        },
      }),
      noting('c', notes, { stop: () => new Promise(() => undefined) }),
    ],
    { limits: { start: 1_000, stop: 20 } },
  );
  await host.stop();
  t.equal(notes.at(-1), 'stop a');
});

void t.test(
  'a failed isolated plugin is removed completely; dependents are skipped with the reason; the others run',
  async (t) => {
    for (const [phase, verb] of [
      ['build', 'build'],
      ['start', 'start'],
    ] as const) {
      const notes: string[] = [];
      const host = await bareHost([
        noting('a', notes, {
          onFailure: 'isolate',
          [phase]: () => {
            throw new Error('no luck');
          },
          provides: { SampleGreeter: () => greeter('a'), SampleVoices: () => greeter('a') },
          scopes: [{ name: 'sample.read', pat: 'sample' }],
          permissions: [{ name: 'a.read', from: 'read' }],
          routes: () => [route('aGet', '/a')],
        }),
        noting('b', notes, { needs: ['SampleGreeter'], provides: { SampleExtra: () => greeter('b') } }),
        noting('c', notes, { needs: ['SampleExtra'] }),
        noting('d', notes, {
          provides: { SampleVoices: () => greeter('d') },
          permissions: [{ name: 'd.read', from: 'read' }],
          routes: () => [route('dGet', '/d')],
        }),
      ]);
      t.match(
        host.states(),
        {
          a: { state: 'failed', reason: `Plugin "a" did not ${verb}: no luck` },
          b: { state: 'skipped', reason: 'It needs SampleGreeter of "a", which failed' },
          c: { state: 'skipped', reason: 'It needs SampleExtra of "b", which was skipped' },
          d: { state: 'started', reason: undefined },
        },
        phase,
      );
      t.strictSame(host.routes(), ['GET /d']);
      t.strictSame(await Promise.all(host.port('SampleVoices').map((one) => one.greet())), ['d']);
      t.equal(host.port('SampleExtra'), undefined);
      t.strictSame(host.port('ScopeCatalogue').rows(), []);
      t.strictSame(host.port('PermissionTable').declarations(), [{ name: 'd.read', from: 'read' }]);
      t.strictSame(await host.readiness(), { ready: true, degraded: ['a', 'b', 'c'] });
      t.strictSame(
        notes.filter((note) => note.startsWith('start')),
        ['start d'],
      );
      await host.stop();
      t.strictSame(
        notes.filter((note) => note.startsWith('stop')),
        phase === 'start' ? ['stop a', 'stop d'] : ['stop d'],
        'the half-started plugin was stopped at once, skipped ones had nothing to stop',
      );
    }
  },
);

void t.test('a failure that affects the provider of a critical port ends the boot, isolated or not', async (t) => {
  const notes: string[] = [];
  const refused = await refusal(t, [
    noting('a', notes, {
      onFailure: 'isolate',
      start: async () => {
        throw new Error('no luck');
      },
      provides: { SampleGreeter: () => greeter('a') },
    }),
    noting('b', notes, { needs: ['SampleGreeter'], provides: { SampleCritical: () => greeter('b') } }),
  ]);
  t.match(refused.problems, [
    {
      code: 'critical_skipped',
      plugin: 'b',
      message: 'Plugin "b" cannot run: it needs SampleGreeter of "a", which failed: Plugin "a" did not start: no luck',
    },
  ]);
});

void t.test('a start that completes after its time limit does not revive the plugin', async (t) => {
  const release = Promise.withResolvers<void>();
  const host = await bareHost(
    [definePlugin({ ...base, name: 'a', onFailure: 'isolate', start: () => release.promise })],
    { limits: { start: 20, stop: 1_000 } },
  );
  t.teardown(() => host.stop());
  release.resolve();
  await release.promise;
  t.match(host.states(), { a: { state: 'failed' } });
});

void t.test('events reach their handlers only after the start', async (t) => {
  const seen: string[] = [];
  const host = await bareHost([
    definePlugin({
      ...base,
      name: 'a',
      needs: ['Events', 'UnitOfWork'],
      emits: ['sample.happened'],
      build: ({ Events, UnitOfWork }) => ({
        say: (what: string) =>
          UnitOfWork.run(() => Events.emit({ type: 'sample.happened', aggregate: 'sample:1', payload: { what } })),
      }),
      events: () => [
        on('sample.happened', {
          name: 'listen',
          delivery: 'durable',
          handle: async ({ payload }) => {
            seen.push(payload.what);
          },
        }),
      ],
      start: async ({ say }) => {
        await say('while starting');
        t.strictSame(seen, []);
      },
    }),
  ]);
  t.teardown(() => host.stop());
  await host.drained();
  t.strictSame(seen, ['while starting']);
});

void t.test('a handler is not called once its plugin stops', async (t) => {
  const notes: string[] = [];
  const handled = on('sample.happened', {
    name: 'listen',
    delivery: 'durable',
    handle: async () => void notes.push('handled'),
  });
  const says = definePlugin({
    ...base,
    name: 'says',
    needs: ['Events', 'UnitOfWork'],
    emits: ['sample.happened'],
    stop: async (_, { Events, UnitOfWork }) => {
      const [aggregate, payload] = ['sample:1', { what: 'the end' }];
      await UnitOfWork.run(() => Events.emit({ type: 'sample.happened', aggregate, payload }));
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
      notes.push('said');
    },
  });
  const listens = definePlugin({
    ...base,
    name: 'listens',
    events: () => [handled, { ...handled, name: 'broadcast', delivery: 'broadcast' }],
    stop: async () => void notes.push('stopped'),
  });
  const host = await bareHost([says, listens]);
  await host.stop();
  t.strictSame(notes, ['stopped', 'said']);
});

void t.test(
  'a failing probe makes its plugin degraded; if the plugin is not isolated, the server is not ready',
  async (t) => {
    let complaint: string | undefined = 'The mirror is gone';
    const probes = () => [{ name: 'mirror', check: async () => complaint }];
    const must = await bareHost([definePlugin({ ...base, name: 'a', probes })]);
    t.strictSame(await must.readiness(), { ready: false, failing: 'a', detail: 'The mirror is gone', degraded: [] });
    t.match(must.states(), { a: { state: 'degraded', reason: 'The mirror is gone' } });
    await must.stop();
    t.match(await must.readiness(), { ready: false, failing: 'host', detail: 'The server is stopped' });

    const may = await bareHost([definePlugin({ ...base, name: 'a', onFailure: 'isolate', probes })]);
    t.strictSame(await may.readiness(), { ready: true, degraded: ['a'] });
    await may.stop();

    complaint = undefined;
    const throwing = await bareHost([
      definePlugin({
        ...base,
        name: 'a',
        probes: () => [
          {
            name: 'mirror',
            check: async () => {
              throw new Error('postgres://user:secret@host');
            },
          },
        ],
      }),
    ]);
    t.strictSame(
      await throwing.readiness(),
      { ready: false, failing: 'a', detail: 'The probe "mirror" of "a" failed', degraded: [] },
      'the thrown error is not exposed',
    );
    await throwing.stop();
  },
);

void t.test('routes of an external plugin are under its own prefix', async (t) => {
  const host = await bareHost(
    [definePlugin({ ...base, name: 'guest', routes: () => [route('one', '/things/{id}'), route('two', '/')] })],
    { foreign: ['guest'] },
  );
  t.teardown(() => host.stop());
  t.strictSame(host.routes(), ['GET /x/guest/things/{id}', 'GET /x/guest']);
});

void t.test('a test host serves over HTTP', async (t) => {
  const host = await bareHost([definePlugin({ ...base, name: 'a', routes: () => [route('aGet', '/a')] })]);
  t.teardown(() => host.stop());
  const url = await host.listen();
  t.equal((await fetch(`${url}/api/v1/a`)).status, 204);
  t.equal((await fetch(`${url}/api/v1/b`)).status, 404);
  t.equal((await fetch(`${url}/readyz`)).status, 200);
});
