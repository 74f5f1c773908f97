// The suites: every spec file runs, on each database at most once.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../../tools/project-files.ts';
import { areas } from '../support/area.ts';
import { specsOf, suites } from '../suites.ts';

const names = Object.keys(suites);
const shared = 'test/spec/every/';

const bySetting = (which: 'quick' | 'whole') => names.filter((name) => suites[name]?.[which] !== undefined);

void t.test('npm test and npm run test:all together run every spec file', async (t) => {
  const all = globSync('**/*.spec.ts', { cwd: join(root, 'test'), exclude: ['fixtures'] })
    .map((path) => `test/${path}`)
    .sort();
  t.ok(all.length >= 5);
  t.strictSame([...new Set(names.flatMap(specsOf))].sort(), all);
});

void t.test('npm test runs each of its spec files once, except those of every area', async (t) => {
  const held = bySetting('quick')
    .flatMap(specsOf)
    .filter((path) => !path.startsWith(shared));
  t.strictSame(
    held.filter((path, index) => held.indexOf(path) !== index),
    [],
  );
});

void t.test('npm run test:all runs a spec file at most once on each database', async (t) => {
  const held = bySetting('whole').flatMap((name) =>
    specsOf(name)
      .filter((path) => !path.startsWith(shared))
      .map((path) => `${path} on ${suites[name]?.whole?.database}`),
  );
  t.strictSame(
    held.filter((path, index) => held.indexOf(path) !== index),
    [],
  );
});

void t.test('every area has one API suite, which ends with the specs of every area, the coverage last', async (t) => {
  const ofEveryArea = globSync(`${shared}**/*.spec.ts`, { cwd: root }).sort();
  t.ok(ofEveryArea.length >= 2);
  t.equal(ofEveryArea.at(-1), `${shared}openapi-coverage.spec.ts`);
  const api = names.filter((name) => name.startsWith('api-'));
  t.strictSame(api.flatMap((name) => suites[name]?.areas ?? []).sort(), areas);
  for (const name of api) {
    const specs = specsOf(name);
    t.ok(specs.length > ofEveryArea.length, name);
    t.strictSame(specs.slice(-ofEveryArea.length), ofEveryArea, name);
  }
});

void t.test('every suite has its file, which runs it, and every suite file its suite', async (t) => {
  const files = globSync('{.,whole}/*.suite.ts', { cwd: join(root, 'test') })
    .map((path) => path.replace('.suite.ts', ''))
    .sort();
  t.strictSame(files, [...names].sort());
  for (const name of files)
    t.ok(readFileSync(join(root, `test/${name}.suite.ts`), 'utf8').endsWith(`\nawait run('${name}');\n`), name);
});

void t.test('a marked test is in a suite that registers it in npm run test:all', (t) => {
  const importing = names
    .flatMap(specsOf)
    .filter((path) => /from '#test\/support\/marks'/.test(readFileSync(join(root, path), 'utf8')));
  t.ok(importing.length >= 5);
  for (const path of new Set(importing)) {
    const databases = names.filter((name) => specsOf(name).includes(path)).map((name) => suites[name]?.whole?.database);
    t.ok(
      databases.some((database) => database === 'embedded' || database === 'postgresql'),
      path,
    );
  }
  t.end();
});
