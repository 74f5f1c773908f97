// Tests that a plugin written by `hexforge new-plugin` can test a provider with the contract suites of the package.
// That its files are tested, packed and loaded unchanged is tested in first-plugin.spec.ts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { packed, run } from './packed.ts';

void t.test('the plugin written by new-plugin can test a provider', async (t) => {
  const { project, program } = await packed();
  const home = join(project, 'new');
  const { stdout: told } = await run(process.execPath, [program, 'new-plugin', 'bell-tower', '--dir', home], project);
  t.match(told, /^Wrote .*plugin\.test\.ts/);

  await t.test('a provider is tested with the contract suites of the package', async (t) => {
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
});
