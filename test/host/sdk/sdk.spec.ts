// Plugin authors may import exactly the exports of the package, which cover every area.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { areas, forAuthors, layerOf } from '../../../tools/layers.ts';
import { root } from '../../../tools/project-files.ts';
import { imports, tokens } from '../../../tools/source/scan.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { exports } = JSON.parse(read('package.json')) as { readonly exports: Readonly<Record<string, string>> };

/** Areas with an index module; that of the kernel is in `hexforge/plugin`. */
const faces = globSync('core/*/index.ts', { cwd: root })
  .map((path) => path.split('/')[1] ?? '')
  .filter((area) => area !== 'kernel')
  .sort();

void t.test('the package exports exactly the parts of the kit and the index of each area', async (t) => {
  t.ok(faces.length >= 4, `finds the areas: ${faces.join(', ')}`);
  t.strictSame(
    Object.entries(exports).sort(),
    [
      ['./plugin', './host/sdk/plugin.ts'],
      ['./ui', './plugins/web/ui/index.ts'],
      ['./testing', './host/sdk/testing.ts'],
      ['./testing/contracts', './test/contracts/contracts.ts'],
      ...faces.map((area) => [`./${area}`, `./core/${area}/index.ts`]),
    ].sort(),
  );
  t.strictSame(
    globSync('core/*', { cwd: root })
      .map((folder) => folder.slice('core/'.length))
      .filter((area) => !existsSync(join(root, 'core', area, 'index.ts'))),
    [],
    'every area has an index',
  );
});

void t.test('"hexforge/plugin" loads the index of each area, so that its ports and names are declared', async (t) => {
  const loaded = imports(tokens(read('host/sdk/plugin.ts'))).map(({ specifier }) => specifier);
  t.strictSame(
    faces.filter((area) => !loaded.includes(`#core/${area}/index`)),
    [],
  );
});

void t.test('the table of layers lets plugins and examples import exactly the exports of the package', async (t) => {
  const exported = Object.keys(exports).map((name) => `npm:hexforge/${name.slice('./'.length)}`);
  const forTests = ['npm:hexforge/testing', 'npm:hexforge/testing/contracts'];
  const planned = Object.keys(areas)
    .filter((area) => !existsSync(join(root, 'core', area)))
    .map((area) => `npm:hexforge/${area}`);
  const ofPackage = (path: string): readonly string[] =>
    (layerOf(path)?.may ?? []).filter((pattern) => pattern.startsWith('npm:hexforge')).sort();
  t.strictSame(
    forAuthors.filter((face) => !planned.includes(face)).sort(),
    exported.filter((name) => !forTests.includes(name)).sort(),
  );
  t.strictSame(ofPackage('plugins/any/plugin.ts'), [...forAuthors].sort());
  t.strictSame(ofPackage('docs/examples/any.ts'), [...forAuthors, ...forTests].sort());
});
