// The command line: commands, flags, exit codes and output.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { commands, main } from '#host/cli/main';
import { openControl } from '#host/control/socket';
import { version } from '#host/version';
import { enabledPlugins, nothingBut } from '#test/support/plugin-list';

/** Runs the command line in a separate folder with the memory database. */
async function run(
  t: Test,
  args: readonly string[],
  {
    yaml,
    environment = {},
    cwd = t.testdir(yaml === undefined ? {} : { config: { 'hexforge.yaml': yaml } }),
  }: { readonly yaml?: string; readonly environment?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await main(args, {
    cwd,
    environment: { HEXFORGE_DATABASE: 'memory', HEXFORGE_LOG_LEVEL: 'silent', ...environment },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, out: out.join(''), err: err.join(''), cwd };
}

const none = nothingBut();

void t.test('the version is that of the package', async (t) => {
  t.strictSame(await run(t, ['--version'], { cwd: '/' }), { code: 0, out: `${version}\n`, err: '', cwd: '/' });
});

void t.test('the help has one line and one example per command, and each command has its own help', async (t) => {
  const { code, out } = await run(t, ['--help']);
  t.equal(code, 0);
  for (const { name, summary, example } of commands) {
    t.equal(
      out
        .split('\n')
        .filter((line) => line.includes(`  ${name}`) && line.includes(summary) && line.endsWith(`e.g. ${example}`))
        .length,
      1,
      name,
    );
    const own = await run(t, [...name.split(' '), '--help']);
    t.match(own, { code: 0, err: '' });
    t.ok(own.out.startsWith(`hexforge ${name}`) && own.out.endsWith(`  Example: ${example}\n`), `${name} --help`);
    t.equal((await run(t, ['help', ...name.split(' ')])).out, own.out);
  }
  t.match(await run(t, []), { code: 64, out: /serve/ });
});

void t.test('an unknown command, flag or argument exits 64 with the nearest name', async (t) => {
  for (const [args, says] of [
    [['srve'], 'There is no command "srve". Did you mean "serve"?'],
    [['admin', 'reset-pasword'], 'There is no command "admin reset-pasword". Did you mean "admin reset-password"?'],
    [['fly'], 'There is no command "fly". hexforge --help lists all'],
    [['help', 'chek'], 'There is no command "chek". Did you mean "check"?'],
    [['check', '--jsn'], '"check" has no flag --jsn. Did you mean "--json"?'],
    [['serve', '--json'], '"serve" has no flag --json. hexforge serve --help lists all'],
    [['check', '--json=yes'], '--json takes no value'],
    [['check', '--config'], '--config needs a value: --config FILE'],
    [['check', 'now'], '"check" does not take "now". Example: hexforge check --config /etc/hexforge.yaml'],
    [['admin', 'reset-password'], '"admin reset-password" needs NAME. Example: hexforge admin reset-password admin'],
    [['--serve'], 'There is no command "--serve". Did you mean "serve"?'],
  ] as const)
    t.strictSame(
      await run(t, args, { cwd: '/nonexistent' }),
      { code: 64, out: '', err: `hexforge: ${says}\n`, cwd: '/nonexistent' },
      args.join(' '),
    );
});

const fiveMistakes =
  'prot: 4000\nproviders:\n  GitBackend: git-remote\nsettings:\n  signup.enable: true\nplugins:\n  git-http:\n    max_push_bytes: many\n';

void t.test('check prints five different mistakes, each with its remedy, and exits 78', async (t) => {
  const { code, out, err } = await run(t, ['check'], {
    yaml: fiveMistakes,
    environment: { HEXFORGE_PLUGINS: '-audti' },
  });
  t.equal(code, 78);
  t.equal(err, '');
  t.strictSame(
    out
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/ \(file [^)]*\)/, '')),
    [
      'unknown_key: prot is no configuration key. Did you mean "port"?',
      'unknown_plugin: HEXFORGE_PLUGINS names "audti", which is no known plugin. Did you mean "audit"?',
      'bad_choice: providers.GitBackend is "git-remote", but no enabled plugin of that name provides the port. Choose from "git-native".',
      'bad_configuration: plugins.git-http.max_push_bytes must be a number. Correct the value, or remove the line for the default.',
      'unknown_setting: settings.signup.enable is no setting of an enabled plugin. Did you mean "signup.enabled"?',
      '5 problems',
    ],
  );
});

void t.test('check --json prints the same as JSON', async (t) => {
  const bad = await run(t, ['check', '--json'], { yaml: fiveMistakes, environment: { HEXFORGE_PLUGINS: '-audti' } });
  t.equal(bad.code, 78);
  const { ok, problems } = JSON.parse(bad.out);
  t.equal(ok, false);
  t.equal(problems.length, 5);
  for (const problem of problems) t.match(problem, { code: /^[a-z_]+$/, message: /./, remedy: /./ });
  const good = await run(t, ['check', '--json'], { environment: { HEXFORGE_PLUGINS: none } });
  t.strictSame([good.code, JSON.parse(good.out)], [0, { ok: true, plugins: [], problems: [] }]);
});

void t.test('check of a valid configuration prints one line', async (t) => {
  const { code, out, err, cwd } = await run(t, ['check'], { yaml: 'port: 3001\n' });
  t.strictSame(
    [code, out, err],
    [
      0,
      `ok: ${enabledPlugins.length} plugins (${enabledPlugins.join(', ')}), ${join(cwd, 'config/hexforge.yaml')}\n`,
      '',
    ],
  );
});

void t.test(
  'serve prints all problems too, one sentence each with its remedy and without a stack, and exits 78',
  async (t) => {
    const { code, out, err } = await run(t, ['serve'], {
      yaml: fiveMistakes,
      environment: { HEXFORGE_PLUGINS: '-audti' },
    });
    t.equal(code, 78);
    t.equal(out, '');
    const lines = err.trimEnd().split('\n');
    t.equal(lines.length, 5);
    for (const line of lines) t.match(line, /^hexforge: .+\.$|\?$/);
    t.notMatch(err, /\n\s+at /);
  },
);

void t.test('invalid YAML is one sentence with line and column', async (t) => {
  const { code, err, cwd } = await run(t, ['serve'], { yaml: 'plugins: [a\nport: 3\n' });
  t.strictSame(
    [code, err],
    [
      78,
      `hexforge: The configuration file ${join(cwd, 'config/hexforge.yaml')} is not YAML at line 2, column 1: deficient indentation. Correct that line; indent with spaces, and quote texts that hold \`: \` or start with a sign.\n`,
    ],
  );
});

void t.test('a start that fails for an external reason prints one sentence with the remedy', async (t) => {
  const newer = t.testdir({
    newer: { 'hexforge.json': '{"version":"99.0.0","createdAt":"2026-01-01T00:00:00.000Z"}\n' },
    file: '',
  });
  const plugins = { HEXFORGE_PLUGINS: none };
  t.match(
    await run(t, ['serve'], { cwd: newer, environment: { ...plugins, HEXFORGE_DATA_DIR: join(newer, 'newer') } }),
    {
      code: 78,
      err: /was written by Hexforge 99\.0\.0, which is newer than this \d+\.\d+\.\d+\. Run Hexforge 99\.0\.0 or later/,
    },
  );
  t.match(
    await run(t, ['serve'], { cwd: newer, environment: { ...plugins, HEXFORGE_DATA_DIR: join(newer, 'file/data') } }),
    { code: 78, err: /cannot be written \(ENOTDIR\)\. Set HEXFORGE_DATA_DIR/ },
  );
  t.match(await run(t, ['serve'], { environment: { ...plugins, HOST: '203.0.113.1' } }), {
    code: 78,
    err: 'hexforge: 203.0.113.1 is not an address of this machine. Set HOST to one, such as 127.0.0.1 or 0.0.0.0.\n',
  });
  t.match(
    await run(t, ['serve'], {
      environment: { ...plugins, HEXFORGE_DATABASE: 'sql', DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/forge' },
    }),
    { code: 78, err: /^hexforge: .*127\.0\.0\.1.*\n$/ },
  );
});

void t.test('missing git is one sentence with the remedy', async (t) => {
  const { code, err } = await run(t, ['serve'], {
    environment: {
      HEXFORGE_PLUGINS: nothingBut('git-native'),
      HEXFORGE_GIT_PATH: '/nonexistent/git',
      PORT: '0',
    },
  });
  t.equal(code, 78);
  t.match(err, /^hexforge: .*git.*\n$/);
  t.notMatch(err, /\n\s+at /);
});

void t.test('an older Node is rejected before anything else is loaded', async (t) => {
  const program = join(import.meta.dirname, '../../../bin/hexforge.js');
  const text = readFileSync(program, 'utf8');
  t.notMatch(
    text.replaceAll(/^\/\/.*$/gm, ''),
    /\?\.|\?\?|=>|\bawait\b|\bconst\b|^import /m,
    'older Nodes can parse it',
  );
  // This Node, with the version of an older one.
  const preload = join(
    t.testdir({
      'older.mjs': "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });",
    }),
    'older.mjs',
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', preload, program, 'serve'], {
    encoding: 'utf8',
  });
  t.strictSame([status, stdout], [78, '']);
  t.match(stderr, /^hexforge: This is Node 20\.1\.0; Hexforge needs Node 24 or later\. Install it from .*\n$/);
});

void t.test('the program runs as a process', async (t) => {
  t.equal(
    execFileSync(process.execPath, [join(import.meta.dirname, '../../../bin/hexforge.js'), '--version'], {
      encoding: 'utf8',
    }),
    `${version}\n`,
  );
});

void t.test('config prints each value with its source and no secret', async (t) => {
  const { code, out, cwd } = await run(t, ['config'], {
    yaml: 'port: 3001\nsettings:\n  signup.enabled: true\nplugins:\n  git-http:\n    max_push_bytes: 2048\n',
    environment: {
      DATABASE_URL: 'postgres://u:hunter2@db/forge',
      HEXFORGE_ADMIN_PASSWORD: 'hunter2 hunter2',
      HEXFORGE_PLUGINS: '-limits',
    },
  });
  t.equal(code, 0);
  const file = join(cwd, 'config/hexforge.yaml');
  const lines = new Set(out.split('\n').map((line) => line.replaceAll(/ +/g, ' ')));
  for (const line of [
    `port 3001 # file ${file}`,
    'host 127.0.0.1 # default',
    'database memory # environment HEXFORGE_DATABASE',
    'database_url ******** # environment DATABASE_URL',
    'plugins.limits.enabled false # environment HEXFORGE_PLUGINS',
    `plugins.git-http.max_push_bytes 2048 # file ${file}`,
    `settings.signup.enabled true # file ${file}`,
  ])
    t.ok(lines.has(line), line);
  t.match(out, /plugins\.identity\.\S*password +\*{8} +# environment HEXFORGE_ADMIN_PASSWORD/i);
  t.notMatch(out, /hunter2/);
});

void t.test('plugins prints the state from the configuration if no server runs', async (t) => {
  const { code, out, err } = await run(t, ['plugins', '--json'], {
    environment: { HEXFORGE_PLUGINS: '-limits,-audit' },
  });
  t.equal(code, 0);
  t.match(err, /^hexforge: No server runs on .*: this is what the configuration says\n$/);
  const rows = JSON.parse(out);
  t.match(
    rows.find(({ name }: { name: string }) => name === 'limits'),
    { enabled: false, origin: 'standard', state: 'disabled', version: null, reason: null, routes: [] },
  );
  t.match(
    rows.find(({ name }: { name: string }) => name === 'git-native'),
    {
      enabled: true,
      origin: 'standard',
      state: 'checked',
      version: /^\d/,
      provides: ['GitBackend'],
      needs: ['CurrentCaller'],
    },
  );
  t.match(
    (await run(t, ['plugins'])).out,
    /^NAME +VERSION +ORIGIN +STATE +ROUTES +PROVIDES +NEEDS\nidentity +\S+ +standard +checked +\d+ +\S/,
  );
});

void t.test('while a server runs the command line queries it, and prints that', async (t) => {
  const cwd = t.testdir({ data: {} });
  const asked: (string | undefined)[] = [];
  const close = await openControl(join(cwd, 'data'), {
    plugins: async () => [{ name: 'identity', version: '0.1.0', state: 'degraded', reason: 'The directory is slow' }],
    'reset-password': async (name) => {
      asked.push(name);
      return { password: 'fresh' };
    },
  });
  t.teardown(close);
  t.match(await run(t, ['plugins'], { cwd }), {
    code: 0,
    err: `hexforge: This is how the running server (pid ${process.pid}) stands\n`,
    out: /identity +0\.1\.0 +standard +degraded: The directory is slow/,
  });
  t.match(await run(t, ['admin', 'reset-password', 'admin'], { cwd }), {
    code: 0,
    out: 'password: fresh\n',
    err: `hexforge: Done by the running server (pid ${process.pid})\n`,
  });
  t.strictSame(asked, ['admin']);
  t.match(await run(t, ['migrate'], { cwd }), {
    code: 0,
    out: `The running server (pid ${process.pid}) migrated when it started: nothing to do\n`,
  });
});

void t.test('if no server runs the database is opened, and that is printed', async (t) => {
  const { code, err, cwd } = await run(t, ['admin', 'reset-password', 'nobody']);
  t.equal(code, 1);
  t.equal(err.split('\n')[0], `hexforge: No server runs on ${join(cwd, 'data')}: opening the database`);
  t.match(err, /nobody/);
  t.match(await run(t, ['migrate'], { environment: { HEXFORGE_PLUGINS: none } }), {
    code: 0,
    out: 'nothing is pending\n',
  });
  const offline = await run(t, ['admin', 'reset-password', 'admin'], { environment: { HEXFORGE_PLUGINS: none } });
  t.match(offline, { code: 78, err: /No enabled plugin keeps accounts/ });
});

void t.test(
  'a purge is rejected for an enabled plugin, next to a running server, and for a memory database, each with its remedy',
  async (t) => {
    const purge = async (name: string, cwd?: string) =>
      run(t, ['plugins', 'purge', name, '--yes'], {
        environment: { HEXFORGE_PLUGINS: none },
        ...(cwd === undefined ? {} : { cwd }),
      });
    t.match(await run(t, ['plugins', 'purge', 'audit', '--yes']), {
      code: 78,
      err: 'hexforge: Plugin "audit" is enabled. Disable it first, with HEXFORGE_PLUGINS=-audit or "enabled: false" in the configuration file.\n',
    });
    t.match(await purge('audit'), { code: 78, err: /The database is "memory": no plugin has stored anything/ });
    t.match(await run(t, ['plugins', 'purge']), { code: 64, err: /"plugins purge" needs NAME/ });
    const cwd = t.testdir();
    const close = await openControl(join(cwd, 'data'), { plugins: async () => [] });
    t.teardown(close);
    t.match(await purge('audit', cwd), {
      code: 78,
      err: `hexforge: A server runs on ${join(cwd, 'data')} (pid ${process.pid}), and plugins are purged while none does. Stop it, and try again.\n`,
    });
  },
);

void t.test('the example file can be printed as a configuration', async (t) => {
  const { code, out, cwd } = await run(t, ['config', '--example']);
  t.equal(code, 0);
  writeFileSync(join(cwd, 'example.yaml'), out);
  t.ok(existsSync(join(cwd, 'example.yaml')));
  t.match(
    await run(t, ['check', '--config', 'example.yaml'], { cwd }),
    { code: 0 },
    'it is itself a valid, empty configuration',
  );
});

void t.test('malformed plugins in plain JavaScript are reported by every command', async (t) => {
  const base = "name: 'bell', version: '1.0.0', api: '*'";
  const route = "id: 'bellRing', summary: 'Rings', method: 'GET', path: '/', scope: null, result: 'empty', run() {}";
  const faults = {
    'rotues: 1': /"rotues", which is no member of a plugin definition\. Did you mean "routes"\?/,
    'config: { word: 1 }': /"config", which must be the schema of an object/,
    'provides: 7, environment: 7': /"provides", which must be an object/,
    'settings: [1]': /"settings\[0\]", which must be a setting/,
    'needs: { Clock: true }': /"needs", which must be a list/,
    [`routes: () => [{ ${route} }]`]: /The route "bellRing" of plugin "bell" lacks "access"/,
    'get stop() { throw new Error("boo"); }': /boo/,
  };
  const commandsOf = [['check'], ['plugins'], ['config'], ['config', '--json'], ['migrate', '--dry-run'], ['serve']];
  for (const [index, [members, says]] of Object.entries(faults).entries()) {
    // A module is imported once, even if its file changes.
    const file = `bell-${index}.mjs`;
    const cwd = t.testdir({
      config: { 'hexforge.yaml': `plugins:\n  bell:\n    path: ../${file}\n` },
      [file]: `export default { ${base}, ${members} };\n`,
    });
    for (const args of commandsOf) {
      const { code, out, err } = await run(t, args, { cwd, environment: { HEXFORGE_PLUGINS: none } });
      t.notMatch(
        out + err,
        /This should not have happened|of undefined|is not a function/,
        `${args.join(' ')}: ${members}`,
      );
      if (args[0] !== 'check') continue;
      t.match(out, says, members);
      t.equal(code, 78);
    }
  }
});
