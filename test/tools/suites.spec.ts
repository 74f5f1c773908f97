// Every spec runs once, and those in test/spec/every run in each API suite.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../../tools/project-files.ts';
import { specsOf, suites } from '../suites.ts';

const names = Object.keys(suites);
const shared = 'test/spec/every/';

void t.test('every spec file is in exactly one suite, except those in test/spec/every', async (t) => {
  const all = globSync('**/*.spec.ts', { cwd: join(root, 'test'), exclude: ['fixtures'] })
    .map((path) => `test/${path}`)
    .filter((path) => !path.startsWith(shared))
    .sort();
  t.ok(all.length >= 5);
  const held = names
    .flatMap(specsOf)
    .filter((path) => !path.startsWith(shared))
    .sort();
  t.strictSame(held, all);
});

void t.test(
  'every API suite has specs besides the shared ones, and ends with the shared ones, the coverage last',
  async (t) => {
    const ofEveryArea = globSync(`${shared}**/*.spec.ts`, { cwd: root }).sort();
    t.ok(ofEveryArea.length >= 2);
    t.equal(ofEveryArea.at(-1), `${shared}openapi-coverage.spec.ts`);
    const api = names.filter((name) => name.startsWith('api-'));
    t.ok(api.length >= 4);
    for (const name of api) {
      const specs = specsOf(name);
      t.ok(specs.length > ofEveryArea.length, name);
      t.strictSame(specs.slice(-ofEveryArea.length), ofEveryArea, name);
    }
  },
);

void t.test('every suite has its file, which runs it, and every suite file has its suite', async (t) => {
  const files = globSync('*.suite.ts', { cwd: join(root, 'test') })
    .map((path) => path.replace('.suite.ts', ''))
    .sort();
  t.strictSame(files, [...names].sort());
  for (const name of files)
    t.ok(readFileSync(join(root, `test/${name}.suite.ts`), 'utf8').endsWith(`\nawait run('${name}');\n`), name);
});
