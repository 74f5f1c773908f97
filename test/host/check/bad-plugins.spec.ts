// Misbehaving plugins, each with the text for the operator: problems found by `hexforge check`, and rejected starts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { loadConfiguration } from '#host/configuration/load';
import { standardPlugins } from '#config/standard';
import { main } from '#host/cli/main';
import { Refused, sentence } from '#host/problems/problem';
import { startForge } from '#host/server/serve';
import { temporaryFolder } from '#test/support/folder';

const standard = standardPlugins.map(({ name }) => `-${name}`).join(',');
const kit = "import { anyone, api, declarePort, Joi, on, page, shape, text, tool } from 'hexforge/plugin';\n";

/** A plugin in plain JavaScript. */
const plugin = (name: string, members: string, before = ''): string =>
  `${kit}${before}\nexport default { name: '${name}', version: '1.0.0', api: '^0.2.0', ${members} };`;
const route = (id: string, members: string): string =>
  `api({ id: '${id}', summary: 's', method: 'GET', path: '/${id}', access: anyone, scope: null, result: 'empty', run: () => undefined, ${members} })`;
const off = (name: string): string => `disable the plugin with HEXFORGE_PLUGINS=-${name}.`;
const threw = (name: string, what: string): string =>
  `plugin_threw: Plugin "${name}" (FOLDER/${name}.js) threw while it was loaded: ${what}. Mend it, or ${off(name)}`;
const badPath = (id: string): string =>
  `bad_member: The route "${id}" of plugin "paths" has "path", which must be a path such as "/bells/{name}", which begins with "/", does not end with it, and names each parameter once, and is a text. Correct it in the code of the plugin.`;

const badName =
  'which must be a name of at most 200 characters that all show and is a text. Correct it in the code of the plugin.';

const unreadable = "(class extends Error { get message() { throw new Error('inner'); } })";

/** Plugin → its source and the output of `hexforge check`. */
const refused: Readonly<Record<string, readonly [source: string, ...says: string[]]>> = {
  nothing: ['throw null;', threw('nothing', 'null')],
  thing: ["throw { message: 'a thing' };", threw('thing', 'a thing')],
  bare: ['throw Object.create(null);', threw('bare', '[Object: null prototype] {}')],
  unreadable: [`throw new ${unreadable}();`, threw('unreadable', 'what it threw cannot be read')],
  trap: ['throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } });', threw('trap', '1')],
  long: ["throw 'x'.repeat(9_000);", threw('long', `${'x'.repeat(300)}…`)],
  colour: ["throw '\\u001b[31mred\\nand more';", threw('colour', ' [31mred')],
  lazy: [
    "export default { name: 'lazy', version: '1.0.0', api: '*', get routes() { throw new Error('no rope'); } };",
    threw('lazy', 'no rope at FOLDER/lazy.js:1'),
  ],
  old: [
    "export default { name: 'old', version: '1.0.0', api: 'newest' };",
    'incompatible_api: Plugin "old" (FOLDER/old.js) asks for the plugin API "newest", which is no semver range. Write a range such as ^0.2.0.',
  ],
  builder: [
    plugin('builder', `routes() { throw new ${unreadable}(); }`),
    'routes_builder: The routes of plugin "builder" cannot be listed: what it threw cannot be read. Mend its `routes`, which throws; it is called with `config` before the plugin is built, too.',
  ],
  later: [
    plugin('later', "routes: async () => { throw new Error('no rope'); }"),
    'routes_builder: The routes of plugin "later" are a promise, not a list. Let `routes` return a list at once.',
  ],
  holes: [
    plugin('holes', 'routes: () => [undefined, () => 1]'),
    'bad_member: The route 1 of plugin "holes" must be a route and is undefined. Correct it in the code of the plugin.',
    'bad_member: The route 2 of plugin "holes" must be a route and is a function. Correct it in the code of the plugin.',
  ],
  paths: [
    plugin(
      'paths',
      `routes: () => [${[
        route('umlaut', "path: '/ä'"),
        route('quote', `path: '/a"b'`),
        route('percent', "path: '/%zz'"),
        route('up', "path: '/../../healthz'"),
        route('here', "path: '/a/./b'"),
        route('touching', "path: '/{a}{b}'"),
      ].join()}]`,
    ),
    ...['umlaut', 'quote', 'percent', 'up', 'here', 'touching'].map(badPath),
  ],
  inherited: [
    "export default Object.create({ name: 'inherited', version: '1.0.0', api: '^0.2.0' });",
    'not_a_plugin: Plugin "inherited" (FOLDER/inherited.js) is not a plugin: the default export of its module is an object without `name` and `version` and `api` as text. Export the result of definePlugin as default.',
  ],
  another: [
    "export default { name: '\\u001b[31m' + 'x'.repeat(9_000), version: '1.0.0', api: '^0.2.0' };",
    `wrong_plugin: The module configured as "another" (FOLDER/another.js) defines the plugin " [31m${'x'.repeat(295)}…". Name it " [31m${'x'.repeat(295)}…" in the configuration.`,
  ],
  names: [
    plugin(
      'names',
      `events: () => [on('push', { name: 'a\\0b', delivery: 'durable', async handle() {} })],
       jobs: () => [{ name: 'j'.repeat(201), everySeconds: 1, async run() {} }],
       migrations: [{ name: '\\n', up: ['select 1'] }]`,
    ),
    ...['The subscription "a b"', `The job "${'j'.repeat(201)}"`].map(
      (what) => `bad_member: ${what} of plugin "names" has "name", ${badName}`,
    ),
    `bad_member: The definition of plugin "names" has "migrations[0].name", ${badName}`,
  ],
  tables: [
    plugin('tables', `tables: ['tables_a"b', 'tables_' + 'x'.repeat(57), 'tables_' + 'y'.repeat(56)], migrations: []`),
    ...['a"b', 'x'.repeat(57)].map(
      (table) =>
        `table_name: Table "tables_${table}" of plugin "tables" has a name that PostgreSQL does not take as it is. Name it with at most 63 lower-case letters, digits and "_".`,
    ),
  ],
  scopes: [
    plugin(
      'scopes',
      `scopes: [{ name: 'scopes.a', pat: 'ev il' }, { name: 'scopes.b', pat: 'b', includes: ['scopes.c'] }]`,
    ),
    'bad_member: The definition of plugin "scopes" has "scopes[0].pat", which must be a scope of a token, of at most 100 characters without blanks, quotes and backslashes, and is a text. Correct it in the code of the plugin.',
  ],
  includes: [
    plugin('includes', `scopes: [{ name: 'includes.b', pat: 'b', includes: ['includes.c'] }]`),
    'unknown_scope: The scope row "includes.b" of plugin "includes" names the scope row "includes.c", which no enabled plugin contributes. Did you mean "includes.b"?',
  ],
  circle: [
    plugin(
      'circle',
      "needs: ['TestTock'], provides: { TestTick: () => ({}) }",
      "for (const port of ['TestTick', 'TestTock']) declarePort(port, { arity: 'single', component: port, critical: false, absent: 'refuse' });",
    ),
    'cycle: Plugins need each other in a circle: "circle" needs TestTock of "round", "round" needs TestTick of "circle". Move one of these ports from `needs` to `late` (only an optional or plural port can be late), or disable one of the plugins.',
  ],
  round: [plugin('round', "needs: ['TestTick'], provides: { TestTock: () => ({}) }")],
};

/** The output of `hexforge check` for these plugins, without the last line. */
async function check(t: Test, plugins: Readonly<Record<string, string>>, off: string): Promise<readonly string[]> {
  const cwd = t.testdir({
    ...Object.fromEntries(Object.entries(plugins).map(([name, source]) => [`${name}.js`, source])),
    'package.json': '{"type":"module"}',
    'hexforge.yaml': JSON.stringify({
      plugins: Object.fromEntries(Object.keys(plugins).map((name) => [name, { path: `./${name}.js` }])),
    }),
  });
  const [out, err]: [string[], string[]] = [[], []];
  const code = await main(['check', '--config', 'hexforge.yaml'], {
    cwd,
    environment: { HEXFORGE_PLUGINS: off, HEXFORGE_DATABASE: 'memory' },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  const lines = out.join('').replaceAll(cwd, 'FOLDER').trimEnd().split('\n');
  t.strictSame([code, err.join(''), lines.at(-1)], [78, '', `${lines.length - 1} problems`]);
  return lines.slice(0, -1);
}

void t.test('`hexforge check` reports every invalid plugin, and no report is an internal error', async (t) => {
  const sources = Object.fromEntries(Object.entries(refused).map(([name, [source]]) => [name, source]));
  t.strictSame(
    (await check(t, sources, standard)).toSorted(),
    Object.values(refused)
      .flatMap(([, ...says]) => says)
      .toSorted(),
  );
});

void t.test(
  'contributions of standard plugins and the host cannot be claimed, and each report has both names',
  async (t) => {
    const thief = plugin(
      'thief',
      `provides: { Users: () => ({}), Clock: () => ({}) }, settings: [{ key: 'signup.enabled', type: 'boolean', default: true, description: 'd' }],
     scopes: [{ name: 'repo.read', pat: 'repo:read' }], permissions: [{ name: 'repo.read', from: 'read' }],
     tables: ['identity_user'], emits: ['push'],
     routes: () => [${route('health', "mount: 'root', path: '/healthz'")}]`,
    );
    const twice = (code: string, what: string, name: string, owner: string): string =>
      `duplicate_${code}: The ${what} "${name}" is claimed by "${owner}" and by "thief". Disable one of them: HEXFORGE_PLUGINS=-thief.`;
    t.strictSame(await check(t, { thief }, ''), [
      'two_providers: The port Users has 2 providers: "identity", "thief". Choose one with providers.Users in the configuration, or disable the others.',
      'reserved_port: Plugin "thief" provides the port Clock, which the host provides itself. Remove it from `provides`.',
      twice('scope', 'scope row', 'repo.read', 'repositories'),
      twice('permission', 'permission', 'repo.read', 'repositories'),
      twice('setting', 'setting', 'signup.enabled', 'identity'),
      twice('table', 'table', 'identity_user', 'identity'),
      twice('route', 'route', 'GET /healthz', 'host'),
      'route_mount: Plugin "thief" wants the route GET /healthz at the root, where only granted plugins may put routes. Grant it with plugins.thief.mount: anywhere, or disable the plugin.',
      'event_name: Plugin "thief" says it emits "push", which does not start with the plugin\'s name. Name it "thief.push".',
      'table_name: Table "identity_user" of plugin "thief" does not start with the plugin\'s name. Name it "thief_…".',
      'setting_name: The setting "signup.enabled" of plugin "thief" does not start with the plugin\'s name. Name it "thief.enabled".',
    ]);
  },
);

/** Plugin → its members, and the reason of the rejected start. */
const failing: Readonly<Record<string, readonly [members: string, says: string]>> = {
  'a build that throws null': ['build() { throw null; }', 'Plugin "bell" did not build: null.'],
  'a build that throws an unreadable error': [
    `build() { throw new ${unreadable}(); }`,
    'Plugin "bell" did not build: what it threw cannot be read.',
  ],
  'a build whose promise never resolves': [
    'build: () => ({ then() {} })',
    'Plugin "bell" did not build: it took longer than 0.2 s.',
  ],
  'a build error of several lines': [
    "build() { throw new Error('no rope\\nat all'); }",
    'Plugin "bell" did not build: no rope.',
  ],
  'a start whose error is its own cause': [
    "async start() { const error = new Error('round'); error.cause = error; throw error; }",
    'Plugin "bell" did not start: round.',
  ],
  'a start that never ends': [
    'start: () => new Promise(() => {})',
    'Plugin "bell" did not start: it took longer than 0.2 s.',
  ],
  'a directory without its method': [
    "provides: { PasswordDirectory: () => ({ check: 'yes' }) }",
    'Plugin "bell" did not build: what it provides as PasswordDirectory has no method "check".',
  ],
  'a counter without one method': [
    'provides: { RateCounter: () => ({ take: async () => undefined, peek() {} }) }',
    'Plugin "bell" did not build: what it provides as RateCounter has no method "giveBack".',
  ],
  'a directory that is a promise': [
    "provides: { PasswordDirectory: async () => { throw new Error('no rope'); } }",
    'Plugin "bell" did not build: its `provides` returned a promise for the port PasswordDirectory. Return the object that implements the port, and no promise of it.',
  ],
  'routes that throw after the build': [
    "build: () => ({ a: 1 }), routes({ a }) { if (a === 1) throw new Error('no rope'); return []; }",
    'Plugin "bell" did not build: The routes of plugin "bell" cannot be listed: no rope. Mend its `routes`, which throws; it is called with `config` before the plugin is built, too.',
  ],
};

void t.test('a failing plugin rejects the start with one sentence', async (t) => {
  for (const [what, [members, says]] of Object.entries(failing)) {
    const cwd = await temporaryFolder(t);
    await writeFile(join(cwd, 'bell.mjs'), plugin('bell', members));
    await writeFile(
      join(cwd, 'hexforge.yaml'),
      'start_timeout: 0.2\nplugins: { bell: { path: ./bell.mjs } }\ndatabase: memory\n',
    );
    const configuration = await loadConfiguration({
      cwd,
      environment: { HEXFORGE_PLUGINS: standard, PORT: '0', HEXFORGE_DATA_DIR: join(cwd, 'data') },
      file: 'hexforge.yaml',
    });
    const error: unknown = await startForge(configuration, {
      stdout: { write: () => true },
      stderr: { write: () => true },
    }).catch((thrown: unknown) => thrown);
    const told = error instanceof Refused ? error.problems.map(sentence).join('\n') : String(error);
    t.equal(told.replace(` Mend the cause, or ${off('bell')}`, ''), says, what);
  }
});
