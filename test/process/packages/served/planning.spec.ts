// Tests the plugin `planning` with its core code as an external package: it imports only modules that an author can
// import, and passes test/spec/planning when it replaces the standard plugin in the packed Hexforge.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { temporaryFolder } from '#test/support/folder';
import { root } from '../../../../tools/project-files.ts';
import { packed, packPlugin, unpack } from '../packed.ts';

/**
 * Replaces the import specifiers of the checkout by those of an author, and the names of events, because events of an
 * external plugin start with its name.
 */
const outside = (text: string, up: string): string =>
  text
    .replaceAll(/'#core\/kernel\/[a-z/-]+'/g, "'hexforge/plugin'")
    .replaceAll("'#core/repositories/index'", "'hexforge/repositories'")
    .replaceAll("'#core/planning/use-cases'", `'${up}core/use-cases.ts'`)
    .replaceAll("'hexforge/planning'", `'${up}core/index.ts'`)
    .replaceAll(/'((?:label|milestone)\.(?:created|updated|deleted))'/g, "'planning.$1'")
    .replaceAll(/`(?=(?:label|milestone)\.\$\{change\}`)/g, '`planning.');

async function layOut(folder: string): Promise<void> {
  await cp(join(root, 'plugins/planning'), folder, { recursive: true });
  await cp(join(root, 'core/planning'), join(folder, 'core'), { recursive: true });
  for (const path of await readdir(folder, { recursive: true }))
    if (path.endsWith('.ts')) {
      const depth = path.split('/').length - 1;
      const text = await readFile(join(folder, path), 'utf8');
      await writeFile(join(folder, path), outside(text, depth === 0 ? './' : '../'.repeat(depth)));
    }
  const labels = join(root, 'docs/examples/labels');
  const manifest = await readFile(join(labels, 'package.json'), 'utf8');
  await writeFile(join(folder, 'package.json'), manifest.replace('hexforge-plugin-labels', 'hexforge-plugin-planning'));
  const options = await readFile(join(labels, 'tsconfig.json'), 'utf8');
  await writeFile(join(folder, 'tsconfig.json'), options.replace('"*.ts"', '"**/*.ts"'));
}

void t.test('planning as an external package', { timeout: 480_000 }, async (t) => {
  const { installIn } = await packed();
  const home = await temporaryFolder(t);
  await installIn(home);
  const sources = join(home, 'planning');
  await mkdir(sources);
  await layOut(sources);
  await unpack(await packPlugin(sources), home);
  const env = {
    ...process.env,
    HEXFORGE_TEST_INSTALLATION: home,
    HEXFORGE_TEST_PLUGINS: JSON.stringify({ planning: { package: 'hexforge-plugin-planning', mount: 'anywhere' } }),
  };
  const specs = join(root, 'test/spec/planning');
  // bounds.spec.ts replaces a store, which is not possible in an installed package.
  const files = (await readdir(specs)).filter((name) => name.endsWith('.spec.ts') && name !== 'bounds.spec.ts');
  t.not(files.length, 0);
  const origin = fileURLToPath(new URL('planning-origin.ts', import.meta.url));
  for (const file of [origin, ...files.map((name) => join(specs, name))])
    await t.spawn(process.execPath, [file], { env, cwd: root }, basename(file));
});
