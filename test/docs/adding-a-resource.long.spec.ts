// The page on adding a resource: its code equals the example, which is tested as a package, and its line counts are
// right.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../../tools/project-files.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/adding-a-resource.md');
const folder = 'docs/examples/labels';

void t.test('the page shows every file of the example unchanged', async (t) => {
  const shown = new Map(
    [...page.matchAll(/<!-- (\S+) -->\n```ts\n([\s\S]*?)```/g)].map(([, path = '', code = '']) => [path, code]),
  );
  const files = globSync(`${folder}/*.ts`, { cwd: root });
  t.strictSame([...shown.keys()].sort(), files.sort());
  for (const path of files) t.equal(shown.get(path), read(path), path);
});

void t.test('from table to route it is at most 150 lines, as counted on the page', async (t) => {
  const counted = [...page.matchAll(/^\| `(\w+\.ts)` \|.*\| (\d+) \|$/gm)].map(([, name = '', lines = '']) => ({
    name,
    lines: Number(lines),
  }));
  t.strictSame(
    counted.map(({ name }) => name).sort(),
    globSync(`${folder}/*.ts`, { cwd: root })
      .map((path) => path.slice(folder.length + 1))
      .filter((name) => name !== 'plugin.ts' && !name.endsWith('.test.ts'))
      .sort(),
  );
  for (const { name, lines } of counted) t.equal(read(`${folder}/${name}`).trimEnd().split('\n').length, lines, name);
  t.ok(counted.reduce((sum, { lines }) => sum + lines, 0) <= 150);
});
