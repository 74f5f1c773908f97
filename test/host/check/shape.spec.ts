// Definitions and contributions in plain JavaScript: every mistake is reported with its plugin, its path and a remedy.
import Joi from 'joi';
import t from 'tap';
import { api } from '#adapters/http/descriptor/route';
import { anyone, reads } from '#core/kernel/access/access';
import { check } from '#host/check/check';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import type { Plan } from '#host/plugin/plan';
import { sentence, type Problem } from '#host/problems/problem';
import '../sample-ports.ts';

const base = { name: 'bell', version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };
const good = {
  id: 'bellRing',
  summary: 'Rings',
  method: 'GET',
  path: '/{name}',
  access: anyone,
  scope: null,
  meter: 'none',
  result: 'empty',
  run: () => undefined,
};

/** The problems of definitions that no compiler has checked. */
const judge = (...enabled: readonly unknown[]): readonly Problem[] =>
  check({
    enabled: enabled as readonly PluginDefinition[],
    disabled: [],
    providers: {},
    settings: {},
    configOf: () => ({}),
    mountOf: () => 'own',
    isOutside: () => true,
  } satisfies Plan);
const says = (...enabled: readonly unknown[]): readonly string[] => judge(...enabled).map(sentence);
const withRoute = (route: unknown): unknown => ({ ...base, routes: () => [route] });

void t.test('a misspelt or malformed member of a definition is reported with the nearest name', async (t) => {
  const cases: readonly (readonly [object, string])[] = [
    [
      { rotues: () => [] },
      'The definition of plugin "bell" has "rotues", which is no member of a plugin definition. Did you mean "routes"?',
    ],
    [
      { needs: 'Clock' },
      'The definition of plugin "bell" has "needs", which must be a list and is a text. Correct it in the code of the plugin.',
    ],
    [
      { needs: ['Clock', 7] },
      'The definition of plugin "bell" has "needs[1]", which must be a text that is not empty and is a number. Correct it in the code of the plugin.',
    ],
    [
      { onFailure: 'isolated' },
      'The definition of plugin "bell" has "onFailure", which must be one of "fail", "isolate" and is a text. Did you mean "isolate"?',
    ],
    [
      { settings: [{ key: 'bell.loud', type: 'boolaen', default: true, description: 'Loud' }] },
      'The definition of plugin "bell" has "settings[0].type", which must be one of "boolean", "integer", "string" and is a text. Did you mean "boolean"?',
    ],
    [
      { settings: [{ key: 'bell.size', type: 'integer', default: 'three', description: 'Size', min: 1, max: 9 }] },
      'The definition of plugin "bell" has "settings[0].default", which must be a whole number and is a text. Correct it in the code of the plugin.',
    ],
    [
      { settings: [{ key: 'bell.size', type: 'integer', default: 3, description: 'Size', min: 1 }] },
      'The definition of plugin "bell" lacks "settings[0].max". Say the most it may be.',
    ],
    [
      {
        config: Joi.object({
          word: Joi.string()
            .default('a')
            .external(() => undefined),
        }),
      },
      'The definition of plugin "bell" has "config", which cannot be used: Schema with external rules must use validateAsync(). Let it hold rules that are checked at once, without `external`.',
    ],
    [
      { stores: { bells: { sql: () => ({}) } } },
      'The definition of plugin "bell" lacks "stores.bells.memory". Add the store in memory, or make both with `rows`.',
    ],
    [
      { config: { word: 'a' } },
      'The definition of plugin "bell" has "config", which must be the schema of an object, made with `shape` or the `Joi` of "hexforge/plugin", and is an object. Correct it in the code of the plugin.',
    ],
    [
      { entities: [class Bell {}] },
      'The definition of plugin "bell" has "entities[0]", which must be an entity made with `defineEntity` and is a function. Correct it in the code of the plugin.',
    ],
    [
      { provides: { SampleExtra: {} } },
      'The definition of plugin "bell" has "provides.SampleExtra", which must be a function and is an object. Correct it in the code of the plugin.',
    ],
  ];
  for (const [slip, sentences] of cases) t.strictSame(says({ ...base, ...slip }), [sentences]);
});

void t.test('a value that is not a definition is reported', async (t) => {
  const remedy = 'Make it with definePlugin, and give it a name.';
  t.strictSame(says(7, [], { version: '1.0.0' }), [
    `A plugin definition is a number. ${remedy}`,
    `A plugin definition is a list. ${remedy}`,
    `A plugin definition has no name. ${remedy}`,
  ]);
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('boo');
      },
    },
  );
  t.strictSame(says(hostile), [`A plugin definition cannot be read: boo. ${remedy}`]);
});

void t.test('one invalid member does not prevent checking the others', async (t) => {
  t.strictSame(
    judge({ ...base, needs: 7, version: 'one', tables: ['bells'] }, { ...base, name: 'a', rotues: 1 }).map(
      ({ code, plugin }) => [code, plugin],
    ),
    [
      ['bad_member', 'bell'],
      ['unknown_member', 'a'],
      ['plugin_version', 'bell'],
      ['table_name', 'bell'],
    ],
  );
});

void t.test(
  'a route without access, scope or result, or with a mistake, is reported before it is served',
  async (t) => {
    const without = (member: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== member));
    const cases: readonly (readonly [object, string])[] = [
      [
        without('access'),
        "lacks \"access\". Say who may: `anyone`, `signedIn`, or such as `reads('repository', 'repo.read')`.",
      ],
      [
        without('scope'),
        'lacks "scope". Name the row of the scope catalogue a token must satisfy, or null where any credential will do.',
      ],
      [
        without('result'),
        'lacks "result". Say what it answers: a schema such as `shape({ … })`, "bytes", "html", or "empty".',
      ],
      [without('run'), 'lacks "run". Add the function that answers.'],
      [{ ...good, acess: anyone }, 'has "acess", which is no member of a route. Did you mean "access"?'],
      [
        { ...good, access: { who: 'anyon' } },
        'has "access.who", which must be one of "anyone", "signed-in", "session", "admin", "super-admin", "permitted" and is a text. Did you mean "anyone"?',
      ],
      [
        { ...good, access: { ...reads('repository' as never, 'x' as never), needsUser: undefined } },
        'lacks "access.needsUser". Add it.',
      ],
      [
        { ...good, params: { name: Joi.string() } },
        'has "params", which must be the schema of an object, made with `shape` or the `Joi` of "hexforge/plugin", and is an object. Correct it in the code of the plugin.',
      ],
      [
        { ...good, method: 'get' },
        'has "method", which must be one of "GET", "POST", "PUT", "PATCH", "DELETE" and is a text. Did you mean "GET"?',
      ],
    ];
    for (const [route, sentences] of cases)
      t.strictSame(says(withRoute(route)), [`The route "bellRing" of plugin "bell" ${sentences}`]);
    for (const path of ['name', '', '/a/', '//', '/{a}{b}', '/{a}/{a}', '/{a*}/b', '/{a?}', '/{a', '/a b', '/a?b=c'])
      t.match(
        judge(withRoute({ ...good, path })),
        [{ plugin: 'bell', message: /has "path", which must be a path/ }],
        path,
      );
    for (const path of ['/', '/a', '/{a}', '/a.{b}', '/{a}...{b}', '/a/{b}/{c*}', '/{c*}'])
      t.strictSame(judge(withRoute({ ...good, path })), [], path);
  },
);

void t.test('a builder that throws or returns no list is a problem of its plugin', async (t) => {
  const builders = ['routes', 'channels', 'tools', 'indexers', 'pages', 'events', 'jobs', 'probes'];
  for (const kind of builders) {
    const throwing = () => {
      throw new TypeError("Cannot read properties of undefined (reading 'x')");
    };
    t.strictSame(judge({ ...base, [kind]: throwing }), [
      {
        code: `${kind}_builder`,
        plugin: 'bell',
        message: `The ${kind} of plugin "bell" cannot be listed: Cannot read properties of undefined (reading 'x')`,
        remedy: `Mend its \`${kind}\`, which throws; it is called with \`config\` before the plugin is built, too`,
      },
    ]);
    t.match(judge({ ...base, [kind]: async () => [] }), [
      { code: `${kind}_builder`, message: `The ${kind} of plugin "bell" are a promise, not a list` },
    ]);
    t.match(judge({ ...base, [kind]: (parts: { all: unknown }) => [...(parts.all as [])] }), [
      { code: `${kind}_builder`, message: /"parts\.all" is used before the plugin is built/ },
    ]);
    t.match(judge({ ...base, [kind]: () => [undefined] }), [{ code: 'bad_member', plugin: 'bell' }], kind);
  }
});

void t.test(
  'a builder that reads members missing in an invalid configuration adds no problem; its own mistakes do',
  async (t) => {
    const config = Joi.object<{ paths: string[] }>({ paths: Joi.array().items(Joi.string()).required() });
    const routes = (_: unknown, context: { config: { paths: string[] } }) =>
      context.config.paths.map((path) => ({ ...good, path }));
    t.match(judge({ ...base, config, routes }), [{ code: 'bad_configuration' }]);
    t.strictSame(
      judge({ ...base, config, routes: () => [{ ...good, access: undefined }] }).map(({ code }) => code),
      ['missing_member', 'bad_configuration'],
    );
  },
);

void t.test('routes of the host cannot be claimed', async (t) => {
  const at = (id: string, path: string) => ({ ...good, id, path, mount: 'root' });
  const rooted = { ...base, routes: () => [at('bellHealth', '/healthz'), at('readyz', '/bell')] };
  t.match(
    judge(rooted).filter(({ code }) => code.startsWith('duplicate')),
    [
      { message: 'The route "GET /healthz" is claimed by "host" and by "bell"' },
      { message: 'The route id "readyz" is claimed by "host" and by "bell"' },
    ],
  );
});

void t.test('a table of an entity must be declared', async (t) => {
  const entity = (meta: object) => ({ ...base, tables: ['bell_ring'], entities: [{ meta }] });
  t.strictSame(judge(entity({ tableName: 'bell_ring' })), []);
  t.strictSame(judge(entity({ className: 'BellRing' })), [], 'named as by MikroORM if the entity has no table name');
  t.match(judge(entity({ tableName: 'identity_user' })), [
    {
      code: 'undeclared_table',
      plugin: 'bell',
      message: 'Plugin "bell" has an entity of the table "identity_user", which is not in its `tables`',
    },
  ]);
});

void t.test('undeclared events and settings are reported with the nearest name', async (t) => {
  const on = (type: string, rest: object = {}) => ({
    ...base,
    emits: ['bell.rung'],
    events: () => [{ type, name: 'hear', delivery: 'durable', handle: () => undefined, ...rest }],
  });
  t.strictSame(judge(on('bell.rung')), []);
  t.strictSame(says(on('bell.wrung')), [
    'The subscription "hear" of plugin "bell" is to events of type "bell.wrung", which no plugin emits. Did you mean "bell.rung"?',
  ]);
  t.strictSame(judge(on('elsewhere.happened', { optional: true })), []);
  t.strictSame(says({ ...base, emits: ['tower.rung'] }), [
    'Plugin "bell" says it emits "tower.rung", which does not start with the plugin\'s name. Name it "bell.rung".',
  ]);
  t.strictSame(says({ ...base, reads: ['sample.size'] }), [
    'Plugin "bell" says it reads the setting "sample.size", which no plugin declares. Install the plugin that declares it, or remove it from `reads`.',
  ]);
});

void t.test('results of `definePlugin` and `api` are valid', async (t) => {
  const route = api({ ...good, method: 'GET', access: anyone, scope: null, meter: 'none', result: 'empty' });
  t.strictSame(judge(definePlugin({ ...base, routes: () => [route] })), []);
});
