// A new author's first minutes: `hexforge new-plugin` of the packed package, and its test, build and check at once.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { layCluster } from '#test/support/cluster';
import { root } from '../../tools/project-files.ts';
import { packed, run } from './packed.ts';

void t.test('what new-plugin writes is tested, compiled and loaded as it is', async (t) => {
  const { project, program } = await packed();
  const home = join(project, 'new');
  const { stdout: told } = await run(process.execPath, [program, 'new-plugin', 'bell-tower', '--dir', home], project);
  t.match(told, /^Wrote .*plugin\.test\.ts/);

  // An author's first run makes the empty database; here it is given, for that takes ten seconds.
  const kit = join(dirname(program), '../host/sdk/testing/cluster.js');
  const { keptCluster } = (await import(pathToFileURL(kit).href)) as { keptCluster(): string };
  const folder = t.testdir({});
  await layCluster(folder);
  await cp(folder, keptCluster(), { recursive: true });

  await t.test('npm test passes', async (t) => {
    const path = `PATH=${dirname(process.execPath)}:${process.env['PATH']}`;
    const { stdout } = await run('env', [path, 'npm', 'test'], home).catch((error: unknown) => {
      t.fail(String(error));
      return error as { stdout: string };
    });
    t.match(stdout, /pass 3\n/, stdout);
    t.match(stdout, /fail 0\n/);
  });

  await t.test('it compiles to what its package ships', async (t) => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    t.equal((await run(process.execPath, [compiler, '--pretty', 'false'], home)).stdout, '');
    const { exports } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { exports: string };
    await writeFile(join(home, 'hexforge.yaml'), `plugins: { bell-tower: { path: ${exports} } }\n`);
    const checked = await run(process.execPath, [program, 'check', '--config', 'hexforge.yaml', '--json'], home);
    t.match(JSON.parse(checked.stdout), { ok: true, problems: [] });
  });
});
