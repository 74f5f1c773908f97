// Problems of plugins that cannot be loaded: each cause is distinguished, with the file and the nearest name.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { loadConfiguration } from '#host/configuration/load';
import { standardPlugins } from '#config/standard';
import { main } from '#host/cli/main';
import { PLUGIN_API_VERSION } from '#host/plugin/definition';
import { listPlugins } from '#host/loading/plugins';
import { version } from '#host/version';
import { temporaryFolder } from '#test/support/folder';

const standard = standardPlugins.map(({ name }) => `-${name}`).join(',');
const good = (name: string, api = `^${PLUGIN_API_VERSION}`): string =>
  `export default { name: '${name}', version: '1.0.0', api: '${api}' };\n`;

type Files = { readonly [name: string]: string | Files };

/**
 * The output of `hexforge check` for these plugins in this folder, with `FOLDER` for its path, without the last line.
 */
async function check(
  t: Test,
  plugins: Readonly<Record<string, object>>,
  folder: Files,
  keys: object = {},
): Promise<readonly string[]> {
  const cwd = t.testdir({ ...folder, 'hexforge.yaml': JSON.stringify({ ...keys, plugins }) });
  const out: string[] = [];
  const code = await main(['check', '--config', 'hexforge.yaml'], {
    cwd,
    environment: { HEXFORGE_PLUGINS: standard, HEXFORGE_DATABASE: 'memory' },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: () => undefined },
  });
  const lines = out.join('').trimEnd().replaceAll(cwd, 'FOLDER').split('\n');
  t.equal(code, lines.at(-1)?.startsWith('ok: ') === true ? 0 : 78);
  return lines.slice(0, -1);
}

const off = (name: string): string => `disable the plugin with HEXFORGE_PLUGINS=-${name}`;

void t.test('a path without a file has the nearest file or folder in its remedy', async (t) => {
  const folder = { 'bell.js': good('bell'), plugins: { deep: { 'bell.js': good('bell') } }, house: { 'index.js': '' } };
  t.strictSame(
    await check(
      t,
      {
        bell: { path: './bel.js' },
        folder: { path: './plugin/deep/bell.js' },
        nothing: { path: './plugins/entirely-else.js' },
        house: { path: './house' },
      },
      folder,
    ),
    [
      'plugin_not_found: Plugin "bell" is not found: there is no file FOLDER/bel.js. Did you mean "bell.js"?',
      'plugin_not_found: Plugin "folder" is not found: there is no folder FOLDER/plugin. Did you mean "plugins"?',
      `plugin_not_found: Plugin "nothing" is not found: there is no file FOLDER/plugins/entirely-else.js. Correct plugins.nothing.path in the configuration, or ${off('nothing')}.`,
      'plugin_not_found: Plugin "house" is not found: FOLDER/house is a folder. Name a file in it with plugins.house.path, such as ./house/index.js.',
    ],
  );
});

const installedPackage = (name: string, manifest: object, files: Files = {}): Files => ({
  'package.json': JSON.stringify({ name, type: 'module', ...manifest }),
  ...files,
});

void t.test('a package is resolved next to the configuration, also with import-only exports', async (t) => {
  const node_modules = {
    'hexforge-bell': installedPackage('hexforge-bell', { exports: { import: './m.js' } }, { 'm.js': good('bell') }),
  };
  t.strictSame(await check(t, { bell: { package: 'hexforge-bell' } }, { node_modules }), []);
});

void t.test('a package that is not next to the configuration is resolved next to Hexforge', async (t) => {
  const cwd = await temporaryFolder(t);
  await writeFile(join(cwd, 'hexforge.yaml'), 'plugins: { bell: { package: semver } }');
  const { problems } = await listPlugins(await loadConfiguration({ cwd, environment: {}, file: 'hexforge.yaml' }));
  t.match(problems, [{ code: 'not_a_plugin', message: /\/node_modules\/semver\/index\.js\) is not a plugin/ }]);
});

void t.test('a missing or empty package has the nearest name and its folder in its remedy', async (t) => {
  const node_modules = {
    'hexforge-bell': installedPackage('hexforge-bell', { exports: './m.js' }, { 'm.js': good('bell') }),
    '@ring': { tower: installedPackage('@ring/tower', { main: './dist/index.js' }) },
    closed: installedPackage('closed', { exports: { './other': './m.js' } }),
  };
  t.strictSame(
    await check(
      t,
      {
        bell: { package: 'hexforge-bel' },
        scoped: { package: '@ring/towr' },
        far: { package: 'no-such-package-of-ours' },
        tower: { package: '@ring/tower' },
        sub: { package: 'hexforge-bell/plugin' },
        closed: { package: 'closed' },
      },
      { node_modules },
    ),
    [
      'plugin_not_found: Plugin "bell" is not found: no package "hexforge-bel" is installed beside the configuration (FOLDER). Did you mean "hexforge-bell"?',
      'plugin_not_found: Plugin "scoped" is not found: no package "@ring/towr" is installed beside the configuration (FOLDER). Did you mean "@ring/tower"?',
      `plugin_not_found: Plugin "far" is not found: no package "no-such-package-of-ours" is installed beside the configuration (FOLDER). Install it there with npm install no-such-package-of-ours, or ${off('far')}.`,
      `plugin_not_found: Plugin "tower" is not found: the package "@ring/tower" is installed in FOLDER/node_modules/@ring/tower, but its module FOLDER/node_modules/@ring/tower/dist/index.js is not there. Build it or install it again, or ${off('tower')}.`,
      `plugin_not_found: Plugin "sub" is not found: the package "hexforge-bell" is installed in FOLDER/node_modules/hexforge-bell, but it does not export "./plugin". Build it or install it again, or ${off('sub')}.`,
      `plugin_not_found: Plugin "closed" is not found: the package "closed" is installed in FOLDER/node_modules/closed, but it exports no main module. Build it or install it again, or ${off('closed')}.`,
    ],
  );
});

void t.test('a plugin with a missing import is reported with the import and the importing file', async (t) => {
  const folder = {
    'a.js': "import 'ldapz-of-ours';",
    'b.js': "import './helper.js';",
    'helpers.js': '',
    'c.js': "import './inner.js';",
    'inner.js': "import 'bels';",
    'd.cjs': "require('ldapz-of-ours');",
    'e.js': "import 'hexforge/identiti';",
    'f.js': "import { apy } from 'hexforge/plugin';",
    'g.js': "import 'hexforge/wholly-else';",
    'h.js': "\nimport { nothing } from './helpers.js';",
    node_modules: { bells: {} },
  };
  const plugins = Object.fromEntries([...'abcefgh'].map((name) => [name, { path: `./${name}.js` }]));
  t.strictSame(await check(t, { ...plugins, d: { path: './d.cjs' } }, folder), [
    'plugin_dependency_missing: Plugin "a" (FOLDER/a.js) is found, but it imports the package "ldapz-of-ours", which is not installed. Install it beside the plugin: npm install ldapz-of-ours in FOLDER.',
    'plugin_dependency_missing: Plugin "b" (FOLDER/b.js) is found, but it imports FOLDER/helper.js, which is not there. Did you mean "helpers.js"?',
    'plugin_dependency_missing: Plugin "c" (FOLDER/c.js) is found, but FOLDER/inner.js imports the package "bels", which is not installed. Did you mean "bells"?',
    `plugin_dependency_missing: Plugin "e" (FOLDER/e.js) is found, but imports "hexforge/identiti", which Hexforge ${version} does not have. Did you mean "identity"?`,
    'plugin_dependency_missing: Plugin "f" (FOLDER/f.js) is found, but imports "apy" from "hexforge/plugin", which does not export it (FOLDER/f.js:1). Did you mean "api"?',
    `plugin_dependency_missing: Plugin "g" (FOLDER/g.js) is found, but imports "hexforge/wholly-else", which Hexforge ${version} does not have. Install a version of "g" made for the plugin API ${PLUGIN_API_VERSION}, or ${off('g')}.`,
    `plugin_dependency_missing: Plugin "h" (FOLDER/h.js) is found, but imports "nothing" from "./helpers.js", which does not export it (FOLDER/h.js:2). Correct the import, or install the version of "./helpers.js" that the plugin was made for, or ${off('h')}.`,
    'plugin_dependency_missing: Plugin "d" (FOLDER/d.cjs) is found, but it imports the package "ldapz-of-ours", which is not installed. Install it beside the plugin: npm install ldapz-of-ours in FOLDER.',
  ]);
});

void t.test('a module that is not a plugin is reported with the kind of its default export', async (t) => {
  const exported: Readonly<Record<string, readonly [text: string, says: string]>> = {
    none: ['export {};', 'its module has no default export'],
    named: ['export const plugin = 1, other = 2;', 'its module has no default export, only "other", "plugin"'],
    maker: ['export default function make() {}', 'the default export of its module is a function ("make")'],
    arrow: ['export default () => 3;', 'the default export of its module is a function'],
    text: ["export default 'bell';", 'the default export of its module is a text'],
    list: ['export default [];', 'the default export of its module is an array'],
    later: ['export default Promise.resolve();', 'the default export of its module is a promise'],
    nothing: ['export default undefined;', 'the default export of its module is undefined'],
    partly: [
      "export default { name: 'partly', version: 1 };",
      'the default export of its module is an object without `version` and `api` as text',
    ],
  };
  const lines = await check(
    t,
    {
      ...Object.fromEntries(Object.keys(exported).map((name) => [name, { path: `./${name}.js` }])),
      bell: { path: './tower.js' },
    },
    {
      ...Object.fromEntries(Object.entries(exported).map(([name, [text]]) => [`${name}.js`, text])),
      'tower.js': good('tower'),
    },
  );
  t.strictSame(lines, [
    ...Object.entries(exported).map(
      ([name, [, says]]) =>
        `not_a_plugin: Plugin "${name}" (FOLDER/${name}.js) is not a plugin: ${says}. Export the result of definePlugin as default.`,
    ),
    'wrong_plugin: The module configured as "bell" (FOLDER/tower.js) defines the plugin "tower". Name it "tower" in the configuration.',
  ]);
});

void t.test('a plugin made for another plugin API is reported with its file', async (t) => {
  t.strictSame(await check(t, { bell: { path: './bell.js' } }, { 'bell.js': good('bell', '^99.0.0') }), [
    `incompatible_api: Plugin "bell" (FOLDER/bell.js) asks for the plugin API ^99.0.0; this is ${PLUGIN_API_VERSION}. Install a version of "bell" made for ${PLUGIN_API_VERSION}, or disable it with HEXFORGE_PLUGINS=-bell.`,
  ]);
});

void t.test('a plugin made with a bundled copy of the kit is rejected', async (t) => {
  const text = `export default { name: 'bell', version: '1.0.0', api: '*', [Symbol.for('hexforge.copy')]: { api: '0.0.9' } };`;
  t.strictSame(await check(t, { bell: { path: './bell.js' } }, { 'bell.js': text }), [
    'another_copy: Plugin "bell" (FOLDER/bell.js) was defined with another copy of "hexforge/plugin" (plugin API 0.0.9) than the one that runs, which would not know its errors and answers for what they are. Leave hexforge/* out of its bundle, or let both import the one that is installed.',
  ]);
});

void t.test('errors thrown by a module and syntax errors have file and line', async (t) => {
  const folder = {
    'throws.js': "\nfunction ring() {\n  throw new Error('no rope\\nat all');\n}\nring();",
    'text.js': "throw 'no rope';",
    'inner.js': "import './other.js';",
    'other.js': "\nJSON.parse('{,');",
    'comma.js': "\n\nexport default { name: 'comma',, };",
    'comma.cjs': '\nconst a = {,};',
    'comma.ts': "const name: string = 'a';\nexport default { name,, };",
    'enum.ts': '\nenum A { b }\nexport default A;',
    'nested.js': "import './broken.js';",
    'broken.js': "import 'node:fs';\nconst = 3;",
    'json.js': "import './bad.json' with { type: 'json' };",
    'bad.json': '{"a":,}',
    'bell.txt': 'ding',
    node_modules: { typed: installedPackage('typed', { exports: './m.ts' }, { 'm.ts': good('typed') }) },
  };
  const lines = await check(
    t,
    {
      throws: { path: './throws.js' },
      text: { path: './text.js' },
      inner: { path: './inner.js' },
      comma: { path: './comma.js' },
      common: { path: './comma.cjs' },
      typed: { path: './comma.ts' },
      enumerated: { path: './enum.ts' },
      nested: { path: './nested.js' },
      json: { path: './json.js' },
      bell: { path: './bell.txt' },
      shipped: { package: 'typed' },
    },
    folder,
  );
  const mend = (name: string): string => `Mend it, or ${off(name)}.`;
  t.strictSame(
    lines.map((line) => line.replace(/(property name or '}' in JSON|token `,`\.) .* at FOLDER/, '$1 … at FOLDER')),
    [
      `plugin_threw: Plugin "throws" (FOLDER/throws.js) threw while it was loaded: no rope at FOLDER/throws.js:3. ${mend('throws')}`,
      `plugin_threw: Plugin "text" (FOLDER/text.js) threw while it was loaded: no rope. ${mend('text')}`,
      `plugin_threw: Plugin "inner" (FOLDER/inner.js) threw while it was loaded: Expected property name or '}' in JSON … at FOLDER/other.js:2. ${mend('inner')}`,
      `plugin_syntax: Plugin "comma" (FOLDER/comma.js) cannot be loaded: Unexpected token ',' at FOLDER/comma.js:3. ${mend('comma')}`,
      `plugin_syntax: Plugin "common" (FOLDER/comma.cjs) cannot be loaded: Unexpected token ',' at FOLDER/comma.cjs:2. ${mend('common')}`,
      `plugin_syntax: Plugin "typed" (FOLDER/comma.ts) cannot be loaded: Unexpected token \`,\`. … at FOLDER/comma.ts:2. ${mend('typed')}`,
      `plugin_syntax: Plugin "enumerated" (FOLDER/enum.ts) cannot be loaded: TypeScript enum is not supported in strip-only mode at FOLDER/enum.ts:2. ${mend('enumerated')}`,
      `plugin_syntax: Plugin "nested" (FOLDER/nested.js) cannot be loaded: Unexpected token '=' at FOLDER/broken.js:2. ${mend('nested')}`,
      `plugin_syntax: Plugin "json" (FOLDER/json.js) cannot be loaded: Unexpected token ',', "{"a":,}" is not valid JSON at FOLDER/bad.json. ${mend('json')}`,
      'plugin_syntax: Plugin "bell" (FOLDER/bell.txt) cannot be loaded: ".txt" is no extension of a module. Name it .js, .mjs, .cjs or .ts.',
      'plugin_syntax: Plugin "shipped" (FOLDER/node_modules/typed/m.ts) is TypeScript below node_modules, which Node does not run. Ship JavaScript in the package, or configure the plugin by its path outside node_modules.',
    ],
  );
});

void t.test(
  'a module that never finishes loading is abandoned after its time limit by name, and the next one is loaded',
  async (t) => {
    const folder = { 'hangs.js': 'await new Promise(() => {});', 'bell.js': good('bell', '^99.0.0') };
    const plugins = { hangs: { path: './hangs.js' }, bell: { path: './bell.js' } };
    const [first, second] = await check(t, plugins, folder, { load_timeout: 0.2 });
    t.equal(
      first,
      `plugin_load_timeout: Plugin "hangs" (FOLDER/hangs.js) was not loaded within 0.2 s: an \`await\` at the top level of its modules does not end. Mend it, raise load_timeout, or ${off('hangs')}.`,
    );
    t.match(second, /^incompatible_api: Plugin "bell" /);
  },
);

void t.test('a disabled plugin is not loaded, whatever other problems exist', async (t) => {
  const mark = join(t.testdirName, 'ran');
  const folder = { 'bell.js': `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, '');` };
  const lines = await check(t, { bell: { enabled: false, path: './bell.js' } }, folder, {
    settings: { 'a.b': 1 },
    prot: 1,
  });
  t.match(lines, [/^unknown_key: prot /]);
  t.notOk(existsSync(mark));
});
