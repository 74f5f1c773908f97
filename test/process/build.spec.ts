// What `npm run build` makes packs, installs and runs elsewhere: without the sources, without development dependencies.
import { join } from 'node:path';
import t from 'tap';
import { layCluster } from '#test/support/cluster';
import { Command, hexforge } from '#test/support/command';
import { temporaryFolder } from '#test/support/folder';
import { packed } from './packed.ts';

void t.test('the build packs, installs and runs', async (t) => {
  const { manifest, files, program } = await packed();
  t.notMatch(
    JSON.stringify(manifest),
    /(?<!\.d)\.ts"|devDependencies|optionalDependencies|scripts/,
    'nothing of development is left',
  );
  t.strictSame(
    files.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts')).sort(),
    ['host/cli/new-plugin/plugin.test.ts', 'host/cli/new-plugin/plugin.ts'],
    'no sources but what new-plugin writes',
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

  const cwd = await temporaryFolder(t);
  const version = await hexforge(t, ['--version'], { cwd, program });
  t.equal(version.code, 0, version.stderr);
  t.match(version.stdout, manifest.version);

  await layCluster(join(cwd, 'data'));
  const server = new Command(t, ['serve'], { cwd, program, environment: { PORT: '0' } });
  const url = await server.listening();
  t.equal((await fetch(`${url}/readyz`)).status, 200);
  t.equal((await fetch(`${url}/api/v1/repos`)).status, 200);
  server.signal('SIGTERM');
  t.equal(await server.ended(), 0);
});
