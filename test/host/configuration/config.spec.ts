// The configuration: environment over file over defaults, and every mistake named with its remedy.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ConfigurationProblems, loadConfiguration } from '#host/configuration/load';
import { defaultProviders, standardPlugins } from '#config/standard';

type Environment = Readonly<Record<string, string>>;

/** The configuration of a folder with this text in `config/hexforge.yaml`, or without that file. */
async function load(t: Test, yaml: string | undefined, environment: Environment = {}) {
  const cwd = t.testdir(yaml === undefined ? {} : { config: { 'hexforge.yaml': yaml } });
  return { cwd, configuration: await loadConfiguration({ environment, cwd }) };
}

async function problemsOf(
  t: Test,
  yaml: string | undefined,
  environment: Environment = {},
): Promise<ConfigurationProblems> {
  try {
    await load(t, yaml, environment);
  } catch (error) {
    if (error instanceof ConfigurationProblems) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

const messages = ({ problems }: ConfigurationProblems) => problems.map(({ message, remedy }) => [message, remedy]);

void t.test('without a file and environment the documented defaults apply', async (t) => {
  const { cwd, configuration } = await load(t, undefined);
  t.match(configuration, {
    host: '127.0.0.1',
    port: 3000,
    baseUrl: undefined,
    webUrl: undefined,
    dataDir: join(cwd, 'data'),
    database: { column: 'sql', url: undefined },
    trustedProxies: [],
    idleMs: 75_000,
    logLevel: 'info',
    limits: { load: 30_000, start: 30_000, stop: 10_000 },
    providers: {},
    defaultProviders,
    file: undefined,
  });
  t.strictSame(
    configuration.plugins.map(({ name, enabled, mount }) => ({ name, enabled, mount })),
    standardPlugins.map(({ name, enabled }) => ({ name, enabled, mount: 'anywhere' })),
  );
});

void t.test(
  'the file overrides defaults, the environment overrides the file, and each value has its source',
  async (t) => {
    const { cwd, configuration } = await load(t, 'port: 4000\nhost: 127.0.0.2\nbase_url: https://forge.example/\n', {
      PORT: '5000',
      HEXFORGE_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16,',
    });
    t.match(configuration, {
      port: 5000,
      host: '127.0.0.2',
      baseUrl: 'https://forge.example',
      webUrl: 'https://forge.example',
      trustedProxies: ['10.0.0.1', '10.1.0.0/16'],
    });
    const source = (key: string) => configuration.shown.find((shown) => shown.key === key)?.source;
    t.equal(source('port'), 'environment PORT');
    t.equal(source('host'), `file ${join(cwd, 'config/hexforge.yaml')}`);
    t.equal(source('data_dir'), 'default');
  },
);

void t.test('secrets are masked when the configuration is shown', async (t) => {
  const key = Buffer.alloc(32, 7).toString('base64');
  const { configuration } = await load(t, undefined, {
    DATABASE_URL: 'postgres://u:hunter2@db/forge',
    HEXFORGE_SECRET_KEY: key,
  });
  t.strictSame(configuration.database, { column: 'sql', url: 'postgres://u:hunter2@db/forge' });
  t.strictSame(configuration.secretKeys, [Buffer.alloc(32, 7)]);
  t.notMatch(JSON.stringify(configuration.shown), /hunter2/);
  t.notOk(JSON.stringify(configuration.shown).includes(key));
});

void t.test('an empty variable counts as absent, and so does a key without a value', async (t) => {
  t.match(
    (await load(t, 'host:\nplugins:\n  limits:\n    metering:\n', { PORT: '', DATABASE_URL: '' })).configuration,
    { host: '127.0.0.1', port: 3000, database: { url: undefined } },
  );
});

void t.test('a file with only comments, or an empty one, is an empty configuration', async (t) => {
  t.equal((await load(t, '# nothing here\n\n  # and here\n')).configuration.port, 3000);
  t.equal((await load(t, '')).configuration.port, 3000);
});

void t.test('all mistakes are found together, each with its place and remedy', async (t) => {
  const problems = await problemsOf(
    t,
    'prot: 4000\nlog_level: loud\nplugins:\n  identity:\n    enabled: perhaps\n  wiki: {}\n',
    { PORT: '99999', HEXFORGE_SECRET_KEY: 'c2hvcnQ=', HEXFORGE_PLUGINS: '-idenity,limits' },
  );
  t.strictSame(
    messages(problems).map(([message = '', remedy]) => [message.replace(/\(file .*\)/, '(file)'), remedy]),
    [
      ['port must be less than or equal to 65535 (environment PORT)', 'Correct or unset PORT'],
      [
        'secret_key must be 32 bytes in base64 (environment HEXFORGE_SECRET_KEY)',
        'Correct or unset HEXFORGE_SECRET_KEY',
      ],
      [
        'log_level must be one of [debug, info, warn, error, silent] (file)',
        'Correct the value, or remove the line for the default',
      ],
      ['plugins.identity.enabled must be a boolean (file)', 'Correct the value, or remove the line'],
      ['prot is no configuration key (file)', 'Did you mean "port"?'],
      ['HEXFORGE_PLUGINS names "idenity", which is no known plugin', 'Did you mean "identity"?'],
      ['HEXFORGE_PLUGINS holds "limits", which neither enables nor disables', 'Write +limits or -limits'],
      [
        'plugins.wiki is no standard plugin, and has neither a path nor a package',
        'Say where it is with `path` or `package`',
      ],
    ],
  );
  t.match(problems.partial, { port: 3000, logLevel: 'info' }, 'valid keys are available in `partial`');
});

void t.test('external URLs have neither a user, a query nor a fragment', async (t) => {
  for (const url of [
    'https://a@forge.example',
    'https://a:b@forge.example/',
    'https://forge.example/?',
    'https://f.example/a#',
  ])
    t.match(
      messages(await problemsOf(t, '', { HEXFORGE_BASE_URL: url })),
      [[/^base_url must be a URL without a user/, /./]],
      url,
    );
  for (const url of ['https://forge.example/code', 'https://forge.example/@a'])
    t.equal((await load(t, '', { HEXFORGE_WEB_URL: url })).configuration.webUrl, url);
});

void t.test('invalid YAML is named by line and column', async (t) => {
  t.match(messages(await problemsOf(t, 'host: 127.0.0.1\nplugins: [a\nport: 3\n')), [
    [
      /^The configuration file .*hexforge\.yaml is not YAML at line 3, column 1: deficient indentation$/,
      /^Correct that line/,
    ],
  ]);
  t.match(messages(await problemsOf(t, 'port: 1\nport: 2\n')), [[/at line 2, column 1: duplicated mapping key/, /./]]);
  t.match(messages(await problemsOf(t, '- a\n- b\n')), [[/holds no mapping of keys to values/, /example/]]);
});

void t.test('a requested file must exist', async (t) => {
  t.match(messages(await problemsOf(t, undefined, { HEXFORGE_CONFIG: 'missing.yaml' })), [
    [/missing\.yaml cannot be read \(ENOENT\)/, /HEXFORGE_CONFIG/],
  ]);
  const cwd = t.testdir({ 'a.yaml': 'port: 1001\n', 'b.yaml': 'port: 1002\n' });
  t.equal((await loadConfiguration({ environment: { HEXFORGE_CONFIG: 'a.yaml' }, cwd })).port, 1001);
  t.equal((await loadConfiguration({ environment: { HEXFORGE_CONFIG: 'a.yaml' }, cwd, file: 'b.yaml' })).port, 1002);
});

void t.test('HEXFORGE_PLUGINS modifies the configured set', async (t) => {
  const enabled = async (yaml: string, switches: string) =>
    (await load(t, yaml, { HEXFORGE_PLUGINS: switches })).configuration.plugins
      .filter((plugin) => plugin.enabled)
      .map(({ name }) => name);
  const all = standardPlugins.filter((plugin) => plugin.enabled).map(({ name }) => name);
  t.strictSame(
    await enabled('', '-repositories, -git-http'),
    all.filter((name) => name !== 'repositories' && name !== 'git-http'),
  );
  t.strictSame(await enabled('plugins: { limits: { enabled: false } }', '+limits'), all);
});

void t.test('plugins named in the file are in its order; the others keep their place', async (t) => {
  const { configuration } = await load(t, 'plugins:\n  audit: {}\n  identity: {}\n  guest: { path: ./guest.ts }\n');
  t.strictSame(
    configuration.plugins.map(({ name }) => name),
    [...standardPlugins.map(({ name }) => ({ identity: 'audit', audit: 'identity' })[name] ?? name), 'guest'],
  );
});

void t.test(
  'a plugin that is not standard is resolved from the file, gets its own keys, and the mount "own"',
  async (t) => {
    const cwd = t.testdir({ etc: {} });
    mkdirSync(join(cwd, 'etc'), { recursive: true });
    writeFileSync(
      join(cwd, 'etc/forge.yaml'),
      'plugins:\n  guest: { path: ../guest.ts, size: 3 }\n  visitor: { package: "@example/visitor", mount: anywhere }\n',
    );
    const { plugins } = await loadConfiguration({ environment: {}, cwd, file: 'etc/forge.yaml' });
    t.match(
      plugins.find(({ name }) => name === 'guest'),
      { enabled: true, standard: false, mount: 'own', module: join(cwd, 'guest.ts'), config: { size: 3 } },
    );
    t.match(
      plugins.find(({ name }) => name === 'visitor'),
      { enabled: true, standard: false, mount: 'anywhere', module: '@example/visitor' },
    );
  },
);
