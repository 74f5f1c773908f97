// The linter enforces the same table of layers in the editor: it reports planted violations of each layer.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { temporaryFolder } from '#test/support/folder';
import { root } from '../../tools/project-files.ts';

const planted: readonly (readonly [path: string, code: string, says: RegExp | undefined])[] = [
  ['core/issues/node.ts', "import 'node:fs';", /core\/issues imports itself/],
  ['core/issues/library.ts', "import 'joi';", /core\/issues imports itself/],
  ['core/issues/deep.ts', "import '#core/identity/model/password';", /through their index/],
  ['core/issues/later.ts', "import '#core/merges/index';", /core\/issues imports itself/],
  [
    'core/issues/good.ts',
    "import '#core/identity/index';\nimport '#core/kernel/errors';\nimport './node.ts';",
    undefined,
  ],
  ['core/issues/clock.ts', 'export const at = Date.now();', /Date\.now/],
  ['core/issues/network.ts', "export const answer = fetch('/');", /fetch/],
  ['adapters/http/other.ts', "import '#adapters/memory/index';", /never another adapter/],
  ['adapters/http/plugin.ts', "import '#plugins/identity/plugin';", /never another adapter/],
  ['adapters/http/good.ts', "import 'joi';\nimport '#core/identity/index';", undefined],
  ['plugins/issues/other.ts', "import '#plugins/identity/schemas';", /never another plugin/],
  ['plugins/issues/face.ts', "import '#core/issues/index';", /faces of areas/],
  ['plugins/issues/library.ts', "import 'joi';", /faces of areas/],
  ['plugins/issues/adapter.ts', "import '#adapters/postgres/statements/rows';", /not the host's own/],
  ['plugins/issues/host.ts', "import '#host/plugin/definition';", /never another plugin/],
  [
    'plugins/issues/good.ts',
    "import 'hexforge/plugin';\nimport 'hexforge/issues';\nimport '#core/issues/use-cases';\nimport '#adapters/ldap/index';",
    undefined,
  ],
  ['host/plugin.ts', "import '#plugins/identity/plugin';", /no plugin/],
  ['host/area.ts', "import '#core/identity/index';", /imports the kernel/],
  ['host/adapter.ts', "import '#adapters/git-native/index';", /adapters http, postgres, memory and system/],
  ['host/sdk/good.ts', "import '#core/identity/index';\nimport '#adapters/http/descriptor/route';", undefined],
  ['config/plugin.ts', "import '#plugins/identity/plugin';", /as strings/],
  ['test/spec/inside.spec.ts', "import '#core/identity/index';", /public door/],
];

void t.test('the linter reports a planted violation of each layer, and no allowed import', async (t) => {
  const folder = await temporaryFolder(t);
  for (const path of ['oxlint.config.ts', 'tools/layers.ts', 'tools/source/scan.ts', 'tsconfig.json', 'package.json']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, code] of planted) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `// Planted.\n${code}\n`);
  }
  const linter = [
    join(root, 'node_modules/oxlint/bin/oxlint'),
    '--format=json',
    'core',
    'adapters',
    'plugins',
    'host',
    'config',
    'test',
  ];
  const output = await new Promise<string>((resolve) => {
    execFile(
      'env',
      ['-u', 'NODE_OPTIONS', process.execPath, ...linter],
      { cwd: folder, maxBuffer: 1 << 24 },
      (_error, stdout) => resolve(stdout),
    );
  });
  const { diagnostics } = JSON.parse(output) as {
    diagnostics: { filename: string; code: string; message: string; help?: string }[];
  };
  for (const [path, , says] of planted) {
    const found = diagnostics
      .filter(({ filename, code }) => filename === path && code.includes('no-restricted'))
      .map(({ message, help = '' }) => `${message} ${help}`);
    t.equal(found.length, says === undefined ? 0 : 1, `${path}: ${found.join()}`);
    if (says !== undefined) t.match(found[0], says, path);
  }
});
