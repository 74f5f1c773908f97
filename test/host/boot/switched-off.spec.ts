// Configuration of disabled plugins: it may stay in the file, and rejects no start.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { standardPlugins } from '#config/standard';
import { main } from '#host/cli/main';

const without = (...names: readonly string[]): string => names.map((name) => `-${name}`).join(',');
const allStandard = standardPlugins.map(({ name }) => name);

async function check(t: Test, configuration: object, off: string, files: Readonly<Record<string, string>> = {}) {
  const cwd = t.testdir({ ...files, 'hexforge.yaml': JSON.stringify(configuration) });
  const [out, err]: [string[], string[]] = [[], []];
  const code = await main(['check', '--config', 'hexforge.yaml'], {
    cwd,
    environment: { HEXFORGE_PLUGINS: off, HEXFORGE_DATABASE: 'memory' },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, cwd, lines: out.join('').trimEnd().split('\n'), err: err.join('') };
}

void t.test('the remedy of every rejection, to disable a plugin, works while the file configures it', async (t) => {
  const settings = Object.fromEntries(
    await Promise.all(
      standardPlugins.map(async ({ module }) => {
        const { default: definition } = (await import(module)) as {
          default: { settings?: { key: string; default: unknown }[] };
        };
        return (definition.settings ?? []).map((setting) => [setting.key, setting.default] as const);
      }),
    ).then((all) => all.flat()),
  );
  t.ok(Object.keys(settings).length > 3);
  const configuration = {
    settings,
    providers: { GitBackend: 'git-native', RateBudgets: 'limits' },
    plugins: { 'git-http': { max_push_bytes: 2048 }, limits: { metering: false } },
  };
  t.match(await check(t, configuration, ''), { code: 0, err: '' }, 'all of it is valid');
  t.match(await check(t, configuration, without(...allStandard)), { code: 0, err: '' });
});

void t.test('a disabled external plugin may keep its configuration, with a remark, and is not loaded', async (t) => {
  const configuration = (file: string): object => ({
    settings: { 'bell.volume': 11, chimes: true },
    providers: { Bell: 'bell' },
    plugins: { bell: { path: file, mount: 'anywhere', rope: 'long' } },
  });
  const remarks = ['bell.volume', 'chimes']
    .map(
      (key) =>
        `hexforge: settings.${key} is no setting of an enabled plugin, and is taken for one of "bell", which is off\n`,
    )
    .join('');
  const files = {
    'bell.js': "import { writeFileSync } from 'node:fs'; writeFileSync(new URL('ran', import.meta.url), '');",
  };
  const { code, err, cwd } = await check(t, configuration('./bell.js'), without('bell', ...allStandard), files);
  t.strictSame([code, err], [0, remarks]);
  t.notOk(existsSync(join(cwd, 'ran')));
  t.match(await check(t, configuration('./gone.js'), without('bell', ...allStandard)), { code: 0, err: remarks });
});

void t.test('a misspelt setting of an enabled plugin is rejected, whatever is disabled', async (t) => {
  const configuration = {
    settings: { 'signup.enable': true },
    plugins: { bell: { enabled: false, path: './bell.js' } },
  };
  t.strictSame((await check(t, configuration, '')).lines, [
    'unknown_setting: settings.signup.enable is no setting of an enabled plugin. Did you mean "signup.enabled"?',
    '1 problem',
  ]);
});

void t.test(
  'if the chosen provider is disabled, a single remaining one provides, and two need a choice again',
  async (t) => {
    const provider = (name: string): string =>
      `import { definePlugin } from 'hexforge/plugin';
     export default definePlugin({ name: '${name}', version: '1.0.0', api: '*', provides: { RateBudgets: () => ({}) } });`;
    const files = { 'a.js': provider('a'), 'b.js': provider('b') };
    const configuration = {
      providers: { RateBudgets: 'limits' },
      plugins: { a: { path: './a.js' }, b: { path: './b.js' } },
    };
    t.match(await check(t, configuration, without('b', ...allStandard), files), { code: 0 });
    t.strictSame((await check(t, configuration, without(...allStandard), files)).lines, [
      'two_providers: The port RateBudgets has 2 providers: "a", "b". Choose one with providers.RateBudgets in the configuration, or disable the others.',
      '1 problem',
    ]);
  },
);
