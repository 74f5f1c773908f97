// A new author's first minutes with the packed package: what `hexforge new-plugin` writes is tested, built and checked
// at once, and a provider proved by its contract.
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

  await t.test('a provider of its own is proved by the contracts of the package', async (t) => {
    const proof = `
import { test } from 'node:test';
import type { RateBudgets } from 'hexforge/plugin';
import { contracts } from 'hexforge/testing/contracts';

const none: RateBudgets = { budget: async () => undefined };
const odd: RateBudgets = { budget: async () => ({ limit: 0.5, windowSeconds: 60, window: 'fixed' }) };
for (const [what, budgets] of Object.entries({ none, odd }))
  for (const { name, run } of contracts.RateBudgets(() => budgets)) void test(what + ': ' + name, run);
for (const { name, run } of contracts.GitBackend(() => Promise.reject(new Error('no git')))) void test('git: ' + name, run);
`;
    await writeFile(join(home, 'proof.ts'), proof);
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter', 'tap', 'proof.ts'], home).catch(
      (error: unknown) => error as { stdout: string },
    );
    t.match(stdout, /^ok 1 - none: each meter/m);
    t.match(stdout, /^not ok 2 - odd: each meter/m);
    t.match(stdout, /api\.read has the limit 0\.5/);
    t.match(stdout, /^not ok 3 - git: /m);
    t.match(stdout, /^# pass 1$/m);
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
