// What `npm run build` makes packs, installs and runs elsewhere: without the sources, without development dependencies.
import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { layCluster } from '#test/support/cluster';
import { Command, hexforge } from '#test/support/command';
import { temporaryFolder } from '#test/support/folder';
import { root } from '../../tools/project-files.ts';

const execute = promisify(execFile);
/** Without the loaders that the test runner puts into the environment. */
const run = (command: string, arguments_: readonly string[], cwd: string = root): Promise<{ stdout: string }> =>
  execute('env', ['-u', 'NODE_OPTIONS', command, ...arguments_], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], npm_config_update_notifier: 'false' },
  });

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** As npm would lay it out, from what is installed here already, so that no registry is asked. */
async function installed(tarball: string, folder: string): Promise<string> {
  const modules = join(folder, 'node_modules');
  const home = join(modules, 'hexforge');
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', home]);
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== 'hexforge' && !name.startsWith('.'))
      await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  return home;
}

void t.test('the build packs, installs and runs', async (t) => {
  const folder = await temporaryFolder(t);
  const out = join(folder, 'dist');
  await run(process.execPath, [join(root, 'tools/build.ts'), '--out', out]);

  const manifest = JSON.parse(await readFile(join(out, 'package.json'), 'utf8')) as Manifest;
  t.notMatch(
    JSON.stringify(manifest),
    /(?<!\.d)\.ts"|devDependencies|optionalDependencies|scripts/,
    'nothing of development is left',
  );
  const files = (await readdir(out, { recursive: true })).map(String);
  t.strictSame(
    files.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts')),
    [],
    'no sources',
  );
  for (const path of [
    'README.md',
    'LICENSE',
    'config/hexforge.example.yaml',
    'host/sdk/plugin.js',
    'host/sdk/plugin.d.ts',
    'plugins/identity/plugin.js',
  ])
    t.ok(files.includes(path), path);

  // npm of the machine, which needs no network to pack.
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], out);
  const home = await installed(join(folder, stdout.trim().split('\n').at(-1) ?? ''), join(folder, 'elsewhere'));
  const program = join(home, manifest.bin['hexforge'] ?? '');

  const version = await hexforge(t, ['--version'], { cwd: folder, program });
  t.equal(version.code, 0, version.stderr);
  t.match(version.stdout, manifest.version);

  const cwd = await temporaryFolder(t);
  await layCluster(join(cwd, 'data'));
  const server = new Command(t, ['serve'], { cwd, program, environment: { PORT: '0' } });
  const url = await server.listening();
  t.equal((await fetch(`${url}/readyz`)).status, 200);
  t.equal((await fetch(`${url}/api/v1/repos`)).status, 200);
  server.signal('SIGTERM');
  t.equal(await server.ended(), 0);

  await t.test('a plugin written against the package compiles', async (t) => {
    const project = join(folder, 'elsewhere');
    await writeFile(join(project, 'package.json'), '{ "name": "elsewhere", "type": "module" }');
    await writeFile(
      join(project, 'plugin.ts'),
      [
        "import { anyone, api, definePlugin, Joi, object } from 'hexforge/plugin';",
        'interface Greeting { readonly text: string }',
        "export default definePlugin({ name: 'greeting', version: '1.0.0', api: '^0.1.0', routes: () => [api({",
        "  id: 'greetingRead', summary: 'A greeting', method: 'GET', path: '/', access: anyone, scope: null, meter: 'api.read',",
        "  result: object<Greeting>({ text: Joi.string().required() }).id('Greeting'), run: () => ({ text: 'hello' }),",
        '})] });',
      ].join('\n'),
    );
    const compiler = [
      join(root, 'node_modules/typescript/bin/tsc'),
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--target',
      'esnext',
      '--module',
      'nodenext',
      '--types',
      'node',
      'plugin.ts',
    ];
    const { stdout: complaints } = await run(process.execPath, compiler, project).catch(
      (error: unknown) => error as { stdout: string },
    );
    t.equal(complaints, '');
  });
});
