// Every problem that is found before anything runs: its code, the names in it, and its remedy.
import Joi from 'joi';
import t from 'tap';
import { api, type Route } from '#adapters/http/descriptor/route';
import { anyone, reads } from '#core/kernel/access/access';
import { check } from '#host/check/check';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import type { Plan } from '#host/plugin/plan';
import type { Problem } from '#host/problems/problem';
import { greeter, type Greeter } from '../sample-ports.ts';

const base = { version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };

const plan = (
  enabled: readonly PluginDefinition[],
  rest: Partial<Plan> & { readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>> } = {},
): Plan => ({
  enabled,
  disabled: [],
  providers: {},
  settings: {},
  configOf: (plugin) => rest.config?.[plugin] ?? {},
  mountOf: () => 'anywhere',
  isOutside: () => false,
  ...rest,
});

const codes = (problems: readonly Problem[]): readonly string[] => problems.map(({ code }) => code);
const route = (method: 'GET' | 'POST', path: string, id = `${method}${path}`.replaceAll(/\W/g, '')) =>
  api({
    id,
    summary: 'A sample',
    method,
    path,
    access: anyone,
    scope: null,
    meter: 'none',
    result: 'empty',
    success: 204,
    run: () => undefined,
  });

const provider = (name: string) => definePlugin({ ...base, name, provides: { SampleGreeter: () => greeter(name) } });
const consumer = (name: string) => definePlugin({ ...base, name, needs: ['SampleGreeter'] });

void t.test('a valid set has no problem', async (t) => {
  t.strictSame(check(plan([consumer('b'), provider('a')])), []);
});

void t.test('a missing port has the names of its users and of possible providers', async (t) => {
  const problems = check(plan([consumer('b'), consumer('c')], { disabled: [provider('a')] }));
  t.strictSame(problems, [
    {
      code: 'missing_port',
      message: 'No enabled plugin provides the greeter (port SampleGreeter), needed by "b", "c"',
      remedy: 'Enable "a" with HEXFORGE_PLUGINS=+a, or disable who needs it with HEXFORGE_PLUGINS=-b,-c',
    },
  ]);
  t.match(check(plan([consumer('b')]))[0], {
    plugin: 'b',
    remedy: 'Install a plugin that provides it, or disable who needs it with HEXFORGE_PLUGINS=-b',
  });
});

void t.test('a plugin with a bot needs the plugin that stores accounts', async (t) => {
  t.match(check(plan([definePlugin({ ...base, name: 'b', needs: ['Bot'] })])), [
    { code: 'missing_port', message: /accounts of bots \(plugin "identity"\) \(port BotAccounts\), needed by "b"/ },
  ]);
});

void t.test('absent optional, plural and unavailable ports are no problem', async (t) => {
  t.strictSame(
    check(plan([definePlugin({ ...base, name: 'a', needs: ['SampleExtra', 'SampleVoices', 'SampleUnavailable'] })])),
    [],
  );
});

void t.test('two providers of a single port need a choice', async (t) => {
  const pair = [provider('a'), provider('b')];
  t.strictSame(check(plan(pair)), [
    {
      code: 'two_providers',
      message: 'The port SampleGreeter has 2 providers: "a", "b"',
      remedy: 'Choose one with providers.SampleGreeter in the configuration, or disable the others',
    },
  ]);
  t.strictSame(check(plan(pair, { providers: { SampleGreeter: 'b' } })), []);
  const optional = ['a', 'b'].map((name) =>
    definePlugin({ ...base, name, provides: { SampleExtra: () => greeter(name) } }),
  );
  t.strictSame(codes(check(plan(optional))), ['two_providers']);
  const plural = ['a', 'b'].map((name) =>
    definePlugin({ ...base, name, provides: { SampleVoices: () => greeter(name) } }),
  );
  t.strictSame(check(plan(plural)), []);
});

void t.test('an invalid choice is rejected', async (t) => {
  t.match(check(plan([provider('a')], { providers: { SampleGreeter: 'z' } })), [
    {
      code: 'bad_choice',
      message: 'providers.SampleGreeter is "z", but no enabled plugin of that name provides the port',
      remedy: 'Choose from "a"',
    },
  ]);
  t.match(check(plan([provider('a')], { providers: { SampleGreter: 'a' } })), [
    { code: 'bad_choice', remedy: 'Did you mean "SampleGreeter"?' },
  ]);
});

void t.test('a plugin may not provide a port that only the host provides', async (t) => {
  const clock = definePlugin({ ...base, name: 'a', provides: { Clock: () => ({ now: () => new Date(0) }) } });
  t.match(check(plan([clock])), [
    {
      code: 'reserved_port',
      plugin: 'a',
      message: 'Plugin "a" provides the port Clock, which the host provides itself',
    },
  ]);
});

void t.test('a cycle is listed link by link', async (t) => {
  const a = definePlugin({
    ...base,
    name: 'a',
    needs: ['SampleExtra'],
    provides: { SampleGreeter: () => greeter('a') },
  });
  const b = definePlugin({
    ...base,
    name: 'b',
    needs: ['SampleGreeter'],
    provides: { SampleExtra: () => greeter('b') },
  });
  t.match(check(plan([a, b])), [
    {
      code: 'cycle',
      message: 'Plugins need each other in a circle: "a" needs SampleExtra of "b", "b" needs SampleGreeter of "a"',
    },
  ]);
  const self = definePlugin({
    ...base,
    name: 'c',
    needs: ['SampleVoices'],
    provides: { SampleVoices: () => greeter('c') },
  });
  t.match(check(plan([self])), [
    { code: 'cycle', message: 'Plugins need each other in a circle: "c" needs SampleVoices of "c"' },
  ]);
});

void t.test('a late need is not part of a cycle', async (t) => {
  const a = definePlugin({
    ...base,
    name: 'a',
    late: ['SampleExtra'],
    provides: { SampleGreeter: () => greeter('a') },
  });
  const b = definePlugin({
    ...base,
    name: 'b',
    needs: ['SampleGreeter'],
    provides: { SampleExtra: () => greeter('b') },
  });
  t.strictSame(check(plan([a, b])), []);
});

void t.test('a plugin listed twice is rejected', async (t) => {
  t.match(check(plan([definePlugin({ ...base, name: 'a' }), definePlugin({ ...base, name: 'a' })])), [
    { code: 'duplicate_plugin', plugin: 'a', message: 'Two plugins are named "a"' },
  ]);
});

void t.test('a need for an undeclared port is rejected', async (t) => {
  const a = definePlugin({ ...base, name: 'a', needs: ['NoSuchPort' as 'SampleGreeter'] });
  t.match(check(plan([a])), [
    { code: 'undeclared_port', plugin: 'a', message: 'Plugin "a" names the port NoSuchPort, which nothing declares' },
  ]);
});

void t.test('names, versions and the API range are checked', async (t) => {
  t.strictSame(codes(check(plan([definePlugin({ ...base, name: 'Bad_Name' })]))), ['plugin_name']);
  t.strictSame(
    codes(check(plan([definePlugin({ ...base, name: 'hexforge' })]))),
    ['plugin_name'],
    'the reserved name of the forge',
  );
  t.strictSame(codes(check(plan([definePlugin({ ...base, name: 'a', version: 'one' })]))), ['plugin_version']);
  t.match(check(plan([definePlugin({ name: 'a', version: '1.0.0', api: '^7.0.0' })])), [
    { code: 'incompatible_api', message: `Plugin "a" asks for the plugin API ^7.0.0; this is ${PLUGIN_API_VERSION}` },
  ]);
  t.strictSame(codes(check(plan([definePlugin({ name: 'a', version: '1.0.0', api: 'latest' })]))), [
    'incompatible_api',
  ]);
});

void t.test('a provider of a critical port may not be isolated', async (t) => {
  const isolated = { ...base, name: 'a', onFailure: 'isolate' as const };
  t.match(check(plan([definePlugin({ ...isolated, provides: { SampleCritical: () => greeter('a') } })])), [
    { code: 'isolated_critical', plugin: 'a', message: /security-critical port SampleCritical/ },
  ]);
  t.strictSame(check(plan([definePlugin({ ...isolated, provides: { SampleGreeter: () => greeter('a') } })])), []);
});

void t.test('claims by two plugins are reported with both names', async (t) => {
  const claims = (name: string): PluginDefinition =>
    definePlugin({
      ...base,
      name,
      scopes: [{ name: 'sample.read' }],
      permissions: [{ name: 'sample.write', from: 'write' }],
      settings: [{ key: 'sample.enabled', description: 'A sample', type: 'boolean', default: true }],
      repositorySettings: [{ key: 'sample.loud', description: 'A sample', type: 'boolean', default: true }],
      routes: () => [route('GET', '/samples/{id}', 'sampleGet')],
    });
  t.strictSame(
    check(plan([claims('a'), claims('b')])).map(({ code, message }) => [code, message]),
    [
      ['duplicate_scope', 'The scope row "sample.read" is claimed by "a" and by "b"'],
      ['duplicate_permission', 'The permission "sample.write" is claimed by "a" and by "b"'],
      ['duplicate_setting', 'The setting "sample.enabled" is claimed by "a" and by "b"'],
      ['duplicate_repository_setting', 'The setting of repositories "sample.loud" is claimed by "a" and by "b"'],
      ['duplicate_route', 'The route "GET /api/v1/samples/{id}" is claimed by "a" and by "b"'],
      ['duplicate_route_id', 'The route id "sampleGet" is claimed by "a" and by "b"'],
    ],
  );
  const table = (name: string) => definePlugin({ ...base, name, tables: ['a_thing'] });
  t.strictSame(codes(check(plan([table('a'), table('a-thing')]))), ['duplicate_table']);
  const migrations = definePlugin({
    ...base,
    name: 'm',
    migrations: [
      { name: '001', up: [] },
      { name: '001', up: [] },
    ],
  });
  t.match(check(plan([migrations])), [
    { code: 'duplicate_migration', message: 'Plugin "m" claims the migration "m/001" twice' },
  ]);
});

void t.test('routes clash by method and shape, whatever the names of their parameters', async (t) => {
  const having = (name: string, ...routes: readonly ReturnType<typeof route>[]) =>
    definePlugin({ ...base, name, routes: () => routes });
  t.strictSame(
    codes(check(plan([having('a', route('GET', '/x/{a}')), having('b', route('GET', '/x/{b}', 'other'))]))),
    ['duplicate_route'],
  );
  t.strictSame(check(plan([having('a', route('GET', '/x/{a}')), having('b', route('POST', '/x/{b}'))])), []);
  t.strictSame(check(plan([having('a', route('GET', '/x/{a}')), having('b', route('GET', '/x/{b*}', 'rest'))])), []);
});

void t.test('routes of a plugin without a granted mount are under its own prefix and not at the root', async (t) => {
  const having = (name: string, rooted: boolean) =>
    definePlugin({
      ...base,
      name,
      routes: () => [{ ...route('GET', '/x', name), ...(rooted ? { mount: 'root' as const } : {}) }],
    });
  t.strictSame(
    check(
      plan([having('a', false), having('b', false)], { mountOf: (plugin) => (plugin === 'b' ? 'own' : 'anywhere') }),
    ),
    [],
  );
  t.match(check(plan([having('b', true)], { mountOf: () => 'own' })), [
    { code: 'route_mount', plugin: 'b', remedy: 'Grant it with plugins.b.mount: anywhere, or disable the plugin' },
  ]);
});

void t.test(
  'a builder of routes that uses parts of a plugin before it is built throws, and the part is named',
  async (t) => {
    interface Parts {
      readonly paths: readonly string[];
      readonly size: number;
      readonly make: { path(): string };
    }
    const told = (routes: (parts: Parts, context: { readonly SampleGreeter: Greeter }) => readonly Route[]) =>
      check(
        plan([
          definePlugin({
            ...base,
            name: 'a',
            needs: ['SampleGreeter'],
            build: (): Parts => ({ paths: ['/x'], size: 1, make: { path: () => '/x' } }),
            routes,
          }),
          provider('b'),
        ]),
      );
    const uses: readonly (readonly [string, Parameters<typeof told>[0]])[] = [
      ['parts.make.path', ({ make }) => [route('GET', make.path())]],
      ['parts.paths.map', ({ paths }) => paths.map((path) => route('GET', path))],
      ['parts.paths', ({ paths: [path = ''] }) => [route('GET', path)]],
      ['parts.paths', ({ paths }) => [...paths].map((path) => route('GET', path))],
      ['parts.size', ({ size }) => (size > 0 ? [route('GET', '/x')] : [])],
      ['parts.size', ({ size }) => [route('GET', `/${size}`)]],
      ['parts.paths.length', ({ paths }) => (paths.length === 0 ? [] : [route('GET', `/${paths.length}`)])],
      ['parts.paths', ({ paths }) => ('0' in paths ? [route('GET', '/x')] : [])],
      ['parts.paths', ({ paths }) => (paths instanceof Array ? [route('GET', '/x')] : [])],
      ['parts.make', ({ make }) => Object.keys(make).map((key) => route('GET', `/${key}`))],
      ['parts', (parts) => [{ ...route('GET', '/x'), ...parts }]],
      ['parts.make', ({ make }) => [route('GET', JSON.stringify(Object.assign(make, { path: '/x' })))]],
      [
        'context.SampleGreeter.greet',
        (_, { SampleGreeter }) => [void SampleGreeter.greet(), route('GET', '/x')].slice(1) as Route[],
      ],
    ];
    for (const [member, routes] of uses)
      t.strictSame(
        told(routes),
        [
          {
            code: 'routes_builder',
            plugin: 'a',
            message: `The routes of plugin "a" cannot be listed: "${member}" is used before the plugin is built`,
            remedy:
              'Let its `routes` go by `config` alone: what else it is given may be used when a route runs, not before',
          },
        ],
        String(routes),
      );
    t.strictSame(
      told(({ make: { path } }, { SampleGreeter: { greet } }) => [
        { ...route('GET', '/x'), run: path },
        { ...route('GET', '/y'), run: greet },
      ]),
      [],
      'destructuring and passing on is allowed',
    );
  },
);

void t.test('the builder of routes gets the real configuration with its defaults', async (t) => {
  const branching = (name: string) =>
    definePlugin({
      ...base,
      name,
      config: Joi.object<{ paths: string[] }>({ paths: Joi.array().items(Joi.string()).default(['/x']) }),
      routes: (_, { config: { paths } }) => paths.map((path) => route('GET', path, `${name}${path.length}`)),
    });
  const pair = [branching('a'), branching('b')];
  t.match(check(plan(pair)), [
    { code: 'duplicate_route', message: 'The route "GET /api/v1/x" is claimed by "a" and by "b"' },
  ]);
  t.strictSame(check(plan(pair, { config: { b: { paths: ['/y', '/long'] } } })), []);
  t.match(
    check(plan(pair, { config: { b: { paths: ['/x', '/xx', '/yy'] } } })).map(({ code }) => code),
    ['duplicate_route', 'duplicate_route_id'],
  );
  t.strictSame(
    codes(check(plan(pair, { config: { b: { paths: 7 } } }))),
    ['bad_configuration'],
    'a configuration problem is not reported again for the routes',
  );
});

void t.test('a builder of routes that throws is a problem of its plugin', async (t) => {
  const throwing = definePlugin({
    ...base,
    name: 'a',
    routes: () => {
      throw new Error('no');
    },
  });
  t.match(check(plan([throwing])), [
    { code: 'routes_builder', plugin: 'a', message: 'The routes of plugin "a" cannot be listed: no' },
  ]);
});

void t.test('a route may only name existing scopes and permissions, and require optional ports', async (t) => {
  const lost = definePlugin({
    ...base,
    name: 'a',
    permissions: [{ name: 'thing.read', from: 'read' }],
    routes: () => [
      {
        ...route('GET', '/x', 'x'),
        scope: 'sample.read',
        requires: ['Nothing' as 'SampleExtra', 'Sealer' as 'SampleExtra', 'SampleExtra'],
        access: {
          who: 'permitted',
          resource: 'thing' as never,
          permission: 'thing.raed',
          needsUser: false,
          anonymous: 404,
          hidden: 404,
          lacking: 403,
        },
      },
    ],
  });
  t.strictSame(
    check(plan([lost])).map(({ code, remedy }) => [code, remedy]),
    [
      ['unknown_scope', 'Add it to the `scopes` of its definition, or enable the plugin that contributes it'],
      ['unknown_permission', 'Did you mean "thing.read"?'],
      ['undeclared_port', 'Import the module that declares it with declarePort, or correct the name'],
      ['port_arity', 'Add it to `needs` of its definition instead'],
    ],
  );
});

void t.test('if a needed plugin is disabled, its scopes and permissions are not reported separately', async (t) => {
  const owner = definePlugin({
    ...base,
    name: 'a',
    scopes: [{ name: 'sample.read' as never, pat: 'sample:read' }],
    permissions: [{ name: 'thing.read', from: 'read' }],
    provides: { SampleGreeter: () => greeter('a') },
  });
  const guarded = (needs: readonly 'SampleGreeter'[]) =>
    definePlugin({
      ...base,
      name: 'b',
      needs,
      routes: () => [
        {
          ...route('GET', '/x'),
          scope: 'sample.read' as never,
          access: reads('thing' as never, 'thing.read' as never),
        },
      ],
    });
  t.strictSame(codes(check(plan([guarded(['SampleGreeter'])], { disabled: [owner] }))), ['missing_port']);
  t.strictSame(
    codes(check(plan([guarded([])], { disabled: [owner] }))),
    ['unknown_scope', 'unknown_permission'],
    'a plugin that does not need it gets the problem',
  );
});

void t.test("tables start with the plugin's name", async (t) => {
  t.match(
    check(
      plan([
        definePlugin({
          ...base,
          name: 'git-native',
          tables: ['git_native', 'git_native_pack', 'git_nativepack', 'packs'],
        }),
      ]),
    ),
    [
      {
        code: 'table_name',
        message: 'Table "git_nativepack" of plugin "git-native" does not start with the plugin\'s name',
        remedy: 'Name it "git_native_…"',
      },
      { code: 'table_name', message: /"packs"/ },
    ],
  );
});

void t.test('tables of plugins that are not required may not be referenced', async (t) => {
  const owner = definePlugin({
    ...base,
    name: 'a',
    tables: ['a_thing'],
    provides: { SampleGreeter: () => greeter('a'), SampleExtra: () => greeter('a') },
  });
  const referring = (needs: readonly ('SampleGreeter' | 'SampleExtra')[]) =>
    definePlugin({ ...base, name: 'b', needs, references: ['a_thing'] });
  t.strictSame(check(plan([owner, referring(['SampleGreeter'])])), [], 'a single port is a requirement');
  t.match(
    check(plan([owner, referring(['SampleExtra'])])),
    [
      {
        code: 'reference',
        plugin: 'b',
        message: 'Plugin "b" references the table "a_thing" of "a", which it does not need',
      },
    ],
    'an optional port is not',
  );
  t.match(
    check(plan([owner, definePlugin({ ...base, name: 'b', needs: ['SampleGreeter'], references: ['c_thing'] })])),
    [{ code: 'reference', message: /which no plugin it needs publishes/ }],
  );
  t.strictSame(
    codes(check(plan([referring(['SampleGreeter'])], { disabled: [owner] }))),
    ['missing_port'],
    'if the owner is disabled, the missing port is the only problem',
  );
  const middle = definePlugin({
    ...base,
    name: 'm',
    needs: ['SampleGreeter'],
    provides: { SampleCritical: () => greeter('m') },
  });
  t.strictSame(
    check(
      plan([owner, middle, definePlugin({ ...base, name: 'b', needs: ['SampleCritical'], references: ['a_thing'] })]),
    ),
    [],
    'requirements are transitive',
  );
});

void t.test('invalid configuration of a plugin is named by its key, never by its value', async (t) => {
  const config = Joi.object({
    size: Joi.number().integer().min(1).default(3),
    secret: Joi.string().pattern(/^[a-z]+$/),
  });
  const a = definePlugin({ ...base, name: 'a', config });
  t.strictSame(check(plan([a])), []);
  const problems = check(plan([a], { config: { a: { size: 0, secret: 'HUNTER2', sise: 1 } } }));
  t.strictSame(
    problems.map(({ code, message, remedy }) => [code, message, remedy]),
    [
      [
        'bad_configuration',
        'plugins.a.size must be greater than or equal to 1',
        'Correct the value, or remove the line for the default',
      ],
      ['bad_configuration', 'plugins.a.secret must match /^[a-z]+$/', 'Correct the value, or remove the line'],
      ['unknown_key', 'plugins.a.sise is no configuration key', 'Did you mean "size"?'],
    ],
  );
  t.match(check(plan([definePlugin({ ...base, name: 'b' })], { config: { b: { anything: 1 } } })), [
    { code: 'unknown_key', message: 'plugins.b.anything is no configuration key' },
  ]);
  t.match(check(plan([definePlugin({ ...base, name: 'c', config: Joi.object({ enabled: Joi.boolean() }) })])), [
    { code: 'reserved_key', plugin: 'c' },
  ]);
});

void t.test('settings must exist and be valid', async (t) => {
  const a = definePlugin({
    ...base,
    name: 'a',
    settings: [
      { key: 'sample.enabled', description: 'A sample', type: 'boolean', default: true },
      { key: 'sample.size', description: 'A sample', type: 'integer', default: 3, min: 1, max: 9 },
      { key: 'sample.name', description: 'A sample', type: 'string', default: '', maxLength: 3 },
    ],
  });
  const problemsOf = (settings: Plan['settings']) =>
    check(plan([a], { settings })).map(({ message, remedy }) => [message, remedy]);
  t.strictSame(problemsOf({ 'sample.enabled': false, 'sample.size': 9, 'sample.name': 'abc' }), []);
  t.strictSame(
    problemsOf({ 'sample.enabled': 'yes', 'sample.size': 10, 'sample.name': 'abcd', 'sample.enable': true }),
    [
      ['settings.sample.enabled must be true or false', 'Correct the value, or remove the line for the default true'],
      [
        'settings.sample.size must be a whole number from 1 to 9',
        'Correct the value, or remove the line for the default 3',
      ],
      [
        'settings.sample.name must be a text of at most 3 characters',
        'Correct the value, or remove the line for the default ""',
      ],
      ['settings.sample.enable is no setting of an enabled plugin', 'Did you mean "sample.enabled"?'],
    ],
  );
});

void t.test(
  'a setting of an external plugin starts with the name of its plugin; a standard one need not',
  async (t) => {
    const named = (key: 'sample.enabled') =>
      definePlugin({
        ...base,
        name: 'a',
        settings: [{ key, description: 'A sample', type: 'boolean', default: true }],
      });
    t.strictSame(check(plan([named('sample.enabled')])), []);
    t.strictSame(check(plan([{ ...named('sample.enabled'), name: 'sample' }], { isOutside: () => true })), []);
    t.strictSame(check(plan([named('sample.enabled')], { isOutside: () => true })), [
      {
        code: 'setting_name',
        plugin: 'a',
        message: 'The setting "sample.enabled" of plugin "a" does not start with the plugin\'s name',
        remedy: 'Name it "a.enabled"',
      },
    ]);
  },
);

void t.test('a setting with an invalid key or an invalid default is rejected', async (t) => {
  const faulty = (over: object) =>
    ({
      ...base,
      name: 'a',
      settings: [{ key: 'a.size', description: 'A sample', type: 'integer', default: 3, min: 1, max: 9, ...over }],
    }) as unknown as PluginDefinition;
  const said = (over: object) => check(plan([faulty(over)])).map(({ message }) => message);
  t.strictSame(said({}), []);
  for (const key of ['size', 'a/size', 'A.size', 'a..size', `a.${'x'.repeat(200)}`])
    t.strictSame(said({ key }), [`The setting "${key}" of plugin "a" is not named with words joined by dots`]);
  const about = 'The setting "a.size" of plugin "a" has';
  t.strictSame(said({ default: 10 }), [`${about} a default that must be a whole number from 1 to 9`]);
});
