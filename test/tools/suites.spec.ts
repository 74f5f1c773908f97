// Every spec runs, once.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../../tools/project-files.ts';
import { specsOf, suites, type SuiteName } from '../suites.ts';

const names = Object.keys(suites) as SuiteName[];

void t.test('every spec file is in exactly one suite', async (t) => {
  const all = globSync('**/*.spec.ts', { cwd: join(root, 'test'), exclude: ['fixtures'] })
    .map((path) => `test/${path}`)
    .sort();
  t.ok(all.length >= 5);
  const held = names.flatMap(specsOf).sort();
  t.strictSame(held, all);
});

void t.test('every suite has its file, and every suite file its suite', async (t) => {
  const files = globSync('*.suite.ts', { cwd: join(root, 'test') })
    .map((path) => path.replace('.suite.ts', ''))
    .sort();
  t.strictSame(files, [...names].sort());
});
