// Writes docs/plugin-api.txt, the surface of the plugin API, from the declarations that the compiler emits (`node
// tools/plugin-api.ts`).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Declarations } from './source/declarations.ts';
import { root } from './project-files.ts';
import { surface, surfaceHash } from './source/surface.ts';

const out = mkdtempSync(join(tmpdir(), 'hexforge-declarations-'));
try {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(
    process.execPath,
    [
      compiler,
      '-p',
      'tsconfig.build.json',
      '--emitDeclarationOnly',
      '--sourceMap',
      'false',
      '--inlineSources',
      'false',
    ].concat(['--outDir', out]),
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) process.exitCode = 1;
  else {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as ConstructorParameters<
      typeof Declarations
    >[1];
    const text = surface(new Declarations(out, manifest));
    writeFileSync(join(root, 'docs/plugin-api.txt'), text);
    process.stdout.write(`wrote docs/plugin-api.txt; its hash is ${surfaceHash(text)}\n`);
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
