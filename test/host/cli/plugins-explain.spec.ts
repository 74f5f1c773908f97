// The command line about external plugins before they run: their origin, state and permissions.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { standardPlugins } from '#config/standard';
import { main } from '#host/cli/main';

const bell = `
import { anyone, api, changes, definePlugin, declarePort, maybe, on, shape, superAdmin, word } from 'hexforge/plugin';
declarePort('SampleBigBell', { arity: 'optional', component: 'bell', critical: false, absent: 'degraded' });
const open = { summary: 'A sample', scope: null, result: 'empty', run: () => undefined };
export default definePlugin({
  name: 'bell', version: '1.2.3', api: '*',
  needs: ['Clock'], late: ['UserReferences'],
  provides: { SampleBigBell: () => ({}) },
  settings: [{ key: 'bell.loud', type: 'boolean', default: true, description: 'Loud' }],
  repositorySettings: [{ key: 'bell.word', type: 'string', default: '', description: 'Word' }],
  scopes: [{ name: 'bell.ring', pat: 'bell:ring' }],
  permissions: [{ name: 'bell.ring', from: 'write' }],
  tables: ['bell_ring'], audits: ['bell.sold'],
  config: shape({ tower: maybe(word()) }), environment: { BELL_TOWER: 'tower' },
  emits: ['bell.rung'], outbound: ['hooks.example.com'],
  build: () => { globalThis.bellWasBuilt = true; return {}; },
  routes: (parts, { config }) => [
    api({ ...open, id: 'bellRead', method: 'GET', path: '/', access: anyone }),
    api({ ...open, id: 'bellRing', method: 'POST', path: '/{owner}/{repo}', access: changes('repository', 'bell.ring'), scope: 'bell.ring' }),
    api({ ...open, id: 'bellStop', method: 'DELETE', path: '/', access: superAdmin }),
  ],
  events: ({ hear }) => [on('push', { name: 'hear', delivery: 'durable', optional: true, handle: hear })],
  probes: () => [{ name: 'rope', check: async () => undefined }],
  jobs: () => [{ name: 'strike', everySeconds: 60, run: async () => undefined }],
});
`;

const tower = "export default { name: 'tower', version: '1.0.0', api: '*', references: ['bell_ring'] }";

const off = standardPlugins.map(({ name }) => `-${name}`).join(',');

async function run(t: Test, args: readonly string[], switches = off) {
  const cwd = t.testdir({
    'bell.js': bell,
    'tower.js': tower,
    'broken.js': 'throw new Error("no rope");',
    'hexforge.yaml': JSON.stringify({
      plugins: {
        bell: { path: './bell.js' },
        tower: { path: './tower.js', enabled: switches.includes('+tower') },
        broken: { path: './broken.js' },
        gone: { enabled: false, package: 'gone' },
      },
    }),
  });
  const [out, err]: [string[], string[]] = [[], []];
  const code = await main([...args, '--config', 'hexforge.yaml'], {
    cwd,
    environment: { HEXFORGE_PLUGINS: switches, HEXFORGE_DATABASE: 'memory' },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, cwd, out: out.join('').replaceAll(cwd, 'FOLDER'), err: err.join('') };
}

void t.test('plugins lists origin, state, reason, ports and the number of routes', async (t) => {
  const { code, out } = await run(t, ['plugins']);
  t.equal(code, 0);
  const lines = out.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '));
  for (const line of [
    'bell  1.2.3  path FOLDER/bell.js  checked  3  SampleBigBell  Clock UserReferences',
    'broken  -  path FOLDER/broken.js  rejected: Plugin "broken" (FOLDER/broken.js) threw while it was loaded: no rope at FOLDER/broken.js:1  0',
    'gone  -  package gone  disabled  0',
    'limits  -  standard  disabled  0',
  ])
    t.ok(
      lines.some((candidate) => candidate.startsWith(line)),
      line,
    );
});

void t.test(
  'plugins explain lists the permissions of a plugin before it is built, also while it is disabled',
  async (t) => {
    const may = [
      '  provides     SampleBigBell',
      '  needs        Clock',
      '               UserReferences (late)',
      '  routes       GET /api/v1/x/bell  anyone',
      '               POST /api/v1/x/bell/{owner}/{repo}  bell.ring on repository, scope bell.ring',
      '               DELETE /api/v1/x/bell  super-admin',
      '  tables       bell_ring',
      '  references   -',
      '  config       tower',
      '  environment  BELL_TOWER',
      '  settings     bell.loud',
      '               bell.word (of repositories)',
      '  reads        -',
      '  handles      push',
      '  emits        bell.rung',
      '  audits       bell.sold',
      '  jobs         strike, every 60 s',
      '  probes       rope',
      '  permissions  bell.ring',
      '  scopes       bell.ring',
      '  tools        -',
      '  indexers     -',
      '  pages        -',
      '  channels     -',
      '  outbound     hooks.example.com (told, not enforced)',
      '',
    ];
    const on = await run(t, ['plugins', 'explain', 'bell']);
    t.equal(on.code, 0);
    t.match(on.out, /^bell 1\.2\.3, path FOLDER\/bell\.js, /);
    t.strictSame(on.out.split('\n').slice(1), may);
    const disabled = await run(t, ['plugins', 'explain', 'bell'], `${off},-bell`);
    t.strictSame(disabled.out.split('\n'), ['bell 1.2.3, path FOLDER/bell.js, disabled', ...may]);
    t.equal(Reflect.get(globalThis, 'bellWasBuilt'), undefined);
    t.notOk(existsSync(join(on.cwd, 'data')), 'nothing was opened');
  },
);

void t.test('plugins explain lists the tables that a plugin refers to, and the remedy of a rejection', async (t) => {
  const lines = (await run(t, ['plugins', 'explain', 'tower'], `${off},+tower`)).out.split('\n');
  t.match(lines, [
    /^tower 1\.0\.0, path FOLDER\/tower\.js, rejected: Plugin "tower" references the table "bell_ring" of "bell", which it does not need$/,
    /^ {2}Remove the reference, because "bell" may be switched off, or keep a plain id and clean it by event\.$/,
  ]);
  t.ok(lines.includes('  references   bell_ring'));
});

void t.test('plugins explain --json is the row of plugins --json', async (t) => {
  const rows = JSON.parse((await run(t, ['plugins', '--json'])).out) as readonly { readonly name: string }[];
  const one = JSON.parse((await run(t, ['plugins', 'explain', 'bell', '--json'])).out) as object;
  t.strictSame(
    one,
    rows.find(({ name }) => name === 'bell'),
  );
  t.match(one, {
    name: 'bell',
    version: '1.2.3',
    origin: 'path FOLDER/bell.js',
    state: 'checked',
    routes: [
      { id: 'bellRead', method: 'GET', path: '/api/v1/x/bell', access: 'anyone', scope: null },
      { access: 'bell.ring on repository', scope: 'bell.ring' },
      { access: 'super-admin' },
    ],
    events: { handles: ['push'], emits: ['bell.rung'] },
    jobs: [{ name: 'strike', seconds: 60 }],
    untold: [],
  });
});

void t.test('plugins explain prints why a plugin is unknown, and the nearest name for a missing one', async (t) => {
  const broken = await run(t, ['plugins', 'explain', 'broken']);
  t.match(broken, {
    code: 0,
    out: /^broken, path FOLDER\/broken\.js, rejected: .*no rope at FOLDER\/broken\.js:1\n  Mend it, or disable the plugin with HEXFORGE_PLUGINS=-broken\.\n  What it may do is not known: it was not loaded\n$/,
  });
  const unknown = await run(t, ['plugins', 'explain', 'bel']);
  t.strictSame([unknown.code, unknown.out], [78, '']);
  t.match(unknown.err, /\nhexforge: The configuration has no plugin "bel"\. Did you mean "bell"\?\n$/);
  const word = await run(t, ['plugins', 'explan', 'bell']);
  t.strictSame(
    [word.code, word.err],
    [64, 'hexforge: There is no command "plugins explan". Did you mean "plugins explain"?\n'],
  );
});
