// `hexforge new-plugin`: the files that it writes and the arguments that it rejects. A spec of the packed package
// proves that the files work.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import t, { type Test } from 'tap';
import { main } from '#host/cli/main';
import template from '#host/cli/new-plugin/plugin';
import { PLUGIN_API_VERSION } from '#host/plugin/definition';
import { version } from '#host/version';

async function run(t: Test, args: readonly string[], cwd = t.testdir({})) {
  const said: string[] = [];
  const sink = { write: (text: string) => said.push(text) };
  const code = await main(['new-plugin', ...args], { cwd, environment: {}, stdout: sink, stderr: sink });
  return { code, said: said.join(''), cwd };
}

const files = ['README.md', 'package.json', 'plugin.test.ts', 'plugin.ts', 'tsconfig.json'];

void t.test('writes a plugin, its test, README and package.json under its name', async (t) => {
  const { cwd, ...told } = await run(t, ['bell-tower']);
  t.strictSame(told, {
    code: 0,
    said: `Wrote ${files.join(', ')} to bell-tower\nNext: cd bell-tower && npm install && npm test\n`,
  });
  const read = (file: string): string => readFileSync(join(cwd, 'bell-tower', file), 'utf8');
  t.strictSame(readdirSync(join(cwd, 'bell-tower')).sort(), files);
  for (const file of files) t.notMatch(read(file), /sample.?plugin|0\.0\.0/i, file);
  t.match(read('plugin.ts'), "name: 'bell-tower'");
  t.match(read('plugin.ts'), "tableName: 'bell_tower_note'");
  t.match(read('plugin.ts'), "id: 'bellTowerNoteAdd'");
  t.match(JSON.parse(read('package.json')), {
    name: 'hexforge-plugin-bell-tower',
    peerDependencies: { hexforge: `^${version}` },
  });
});

void t.test('writes into the given folder, also an existing empty one', async (t) => {
  const { cwd, code } = await run(t, ['bell', '--dir', 'plugins/own-bell']);
  t.equal(code, 0);
  t.strictSame(readdirSync(join(cwd, 'plugins/own-bell')).sort(), files);
  mkdirSync(join(cwd, 'here'));
  t.match(await run(t, ['bell', '--dir', '.'], join(cwd, 'here')), { code: 0, said: /to \.\nNext: npm install/ });
});

void t.test('rejects an invalid plugin name and a folder that is not empty', async (t) => {
  const named = 'Name it with lower-case words joined by hyphens.';
  for (const name of ['Bell', 'bell_tower', '../bell', '1bell', 'bell-'])
    t.match(await run(t, [name]), { code: 78, said: `hexforge: "${name}" is not a plugin name. ${named}\n` });
  t.match(await run(t, ['audit']), {
    code: 78,
    said: 'hexforge: "audit" is a plugin of Hexforge itself. Choose another name.\n',
  });
  const cwd = t.testdir({ bell: { 'plugin.ts': 'mine' }, file: '' });
  t.match(await run(t, ['bell'], cwd), {
    code: 78,
    said: 'hexforge: The folder "bell" is not empty. Name another one with --dir.\n',
  });
  t.equal(readFileSync(join(cwd, 'bell/plugin.ts'), 'utf8'), 'mine');
  writeFileSync(join(cwd, 'tower'), '');
  t.match(await run(t, ['bell', '--dir', 'tower'], cwd), {
    code: 78,
    said: 'hexforge: The folder "tower" cannot be made (EEXIST). Name another one with --dir.\n',
  });
  t.match(await run(t, []), { code: 64, said: /"new-plugin" needs NAME/ });
});

void t.test('the written plugin is for the current plugin API', (t) => {
  t.ok(semver.satisfies(PLUGIN_API_VERSION, template.api));
  t.equal(semver.minVersion(template.api)?.version, PLUGIN_API_VERSION);
  t.end();
});
