// The quick module resolution gives the same result as Node.
import { execFileSync } from 'node:child_process';
import { globSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';

const module = new URL('../../../host/loading/quick-resolution.ts', import.meta.url).href;

/**
 * Imports modules in a separate process. @returns how many were resolved quickly, and which differently than by Node.
 */
function compared(imports: readonly string[], from = import.meta.url) {
  const script = `
    import { registerHooks } from 'node:module';
    import { resolveQuickly } from ${JSON.stringify(module)};
    const told = { quick: 0, other: [], failures: [] };
    registerHooks({
      resolve(specifier, context, next) {
        let asked = false;
        const quick = resolveQuickly(specifier, context, (...rest) => ((asked = true), next(...rest)));
        if (asked) return quick;
        told.quick += 1;
        const slow = next(specifier, context);
        if (slow.url !== quick.url || slow.format !== quick.format) told.other.push([specifier, slow, quick]);
        return slow;
      },
    });
    for (const name of ${JSON.stringify(imports)})
      await import(import.meta.resolve(name, ${JSON.stringify(from)})).catch(({ code }) => told.failures.push(code));
    process.stdout.write(JSON.stringify(told), () => process.exit(0));`;
  const args = ['--experimental-import-meta-resolve', '--input-type=module', '-e', script];
  const output = execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' });
  return JSON.parse(output) as { quick: number; other: unknown[]; failures: unknown[] };
}

void t.test('every module of the forge, and of the packages it uses', async (t) => {
  const plugins = globSync('plugins/*/plugin.ts', { cwd: join(import.meta.dirname, '../../..') });
  const { quick, other, failures } = compared([
    '#host/cli/main',
    '#host/server/serve',
    '#adapters/postgres/index',
    '#host/sdk/testing',
    ...plugins.map((path) => `#${path.slice(0, -'.ts'.length)}`),
  ]);
  t.strictSame({ other, failures }, { other: [], failures: [] });
  t.ok(quick > 2000, `${quick} imports were resolved quickly`);
});

void t.test('missing files, links and files in folders of other packages are left to Node', async (t) => {
  const folder = t.testdir({
    'package.json': '{"type":"module"}',
    'start.js':
      "import './one.js'; import './two.js'; import './inner/a.cjs.js'; import './linked/one.js'; import './soft.js';",
    'one.js': 'export {};',
    'two.js': 'export {};',
    'with space.js': 'export {};',
    'long.js': `import './one.js'; import './${'a'.repeat(300)}.js';`,
    'broken.js': "import './one.js'; import './absent.js';",
    inner: { 'package.json': '{"type":"commonjs"}', 'a.cjs.js': "require('./b.js');", 'b.js': 'module.exports = 1;' },
  });
  mkdirSync(join(folder, 'real'));
  writeFileSync(join(folder, 'real/one.js'), "import './two.js';");
  writeFileSync(join(folder, 'real/two.js'), 'export {};');
  symlinkSync(join(folder, 'real'), join(folder, 'linked'));
  symlinkSync(join(folder, 'two.js'), join(folder, 'soft.js'));
  linkSync(join(folder, 'one.js'), join(folder, 'hard.js'));
  const { quick, other, failures } = compared(
    ['./start.js', './broken.js', './with%20space.js', './hard.js', './long.js'],
    pathToFileURL(join(folder, 'start.js')).href,
  );
  t.strictSame({ other, failures }, { other: [], failures: ['ERR_MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'] });
  t.ok(quick >= 2);
});

void t.test('import aliases are those of the importing package, also in a package below the forge', async (t) => {
  const folder = t.testdir({
    'package.json': '{"type":"module","imports":{"#core/*":"./lib/*.js"}}',
    'one.js': "import '#core/kernel/errors';",
    'two.js': "import '#tools/layers';",
    'three.js': "import 'hexforge/plugin';",
    lib: { kernel: { 'errors.js': "import '#core/kernel/log';", 'log.js': 'export {};' } },
  });
  const { other, failures } = compared(
    [new URL('../../../host/cli/main.ts', import.meta.url).href, './one.js', './two.js', './three.js'],
    pathToFileURL(join(folder, 'one.js')).href,
  );
  t.strictSame(
    { other, failures },
    { other: [], failures: ['ERR_PACKAGE_IMPORT_NOT_DEFINED', 'ERR_MODULE_NOT_FOUND'] },
  );
});

void t.test('a package name is resolved for the folder of the import', async (t) => {
  const dep = { 'package.json': '{"type":"module","exports":"./index.js"}', 'index.js': 'export {};' };
  const folder = t.testdir({
    'package.json': '{"type":"module"}',
    'start.js':
      "import 'dep'; import './again.js'; import './inner/one.js'; import './open/one.js'; import './data.js';",
    'again.js': "import 'dep';",
    'data.js': "import 'dep/data.json' with { type: 'json' }; import 'data' with { type: 'json' };",
    'plain.js': "import 'data';",
    inner: { 'one.js': "import 'dep'; import './two.js';", 'two.js': "import 'dep';", node_modules: { dep } },
    open: { 'one.js': "import './two.js';", 'two.js': "import 'loose/lib/one.js';" },
    node_modules: {
      dep: {
        ...dep,
        'package.json': '{"type":"module","exports":{".":"./index.js","./data.json":"./data.json"}}',
        'data.json': '1',
      },
      data: { 'package.json': '{"exports":"./data.json"}', 'data.json': '1' },
      loose: { lib: { 'one.js': "import './two.js'; import '#core/kernel/log';", 'two.js': 'export {};' } },
    },
  });
  const { quick, other, failures } = compared(
    [new URL('../../../host/cli/main.ts', import.meta.url).href, './start.js', './plain.js'],
    pathToFileURL(join(folder, 'start.js')).href,
  );
  t.strictSame(other, []);
  t.strictSame(failures, ['ERR_PACKAGE_IMPORT_NOT_DEFINED', 'ERR_IMPORT_ATTRIBUTE_MISSING']);
  t.ok(quick >= 4, `${quick} imports were resolved quickly`);
});
