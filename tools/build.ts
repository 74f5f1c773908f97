// Builds the package (`npm run build`): compiles the project into `dist/`, which installs and runs without type
// stripping.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './project-files.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
const out = resolve(root, values.out);

interface Manifest {
  bin: Record<string, string>;
  imports: Record<string, string>;
  exports: Record<string, string>;
  files?: string[];
  [key: string]: unknown;
}

const compiled = (path: string): string => path.replace(/\.ts$/, '.js');

/** The manifest of the package: the same names, pointing at compiled files, without entries for development. */
function packageManifest(source: Manifest): object {
  const {
    scripts: _scripts,
    devDependencies: _development,
    optionalDependencies: _node,
    files: _files,
    // The checkout is private so that it cannot be published; the built package can be.
    private: _private,
    ...kept
  } = source;
  return {
    ...kept,
    bin: source.bin,
    imports: Object.fromEntries(
      Object.entries(source.imports)
        .filter(([alias]) => existsSync(join(out, alias.slice(1, -2))))
        .map(([alias, path]) => [alias, compiled(path)]),
    ),
    exports: {
      ...Object.fromEntries(
        Object.entries(source.exports).map(([name, path]) => [
          name,
          { types: path.replace(/\.ts$/, '.d.ts'), default: compiled(path) },
        ]),
      ),
      './package.json': './package.json',
    },
  };
}

function run(command: string, arguments_: readonly string[]): void {
  const { status, error } = spawnSync(command, arguments_, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(
      `build: "${[command, ...arguments_].join(' ')}" failed${error === undefined ? '' : `: ${error.message}`}\n`,
    );
    process.exit(1);
  }
}

rmSync(out, { recursive: true, force: true });
run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', out]);

// Rewrites module URLs (worker threads), which the compiler leaves unchanged, and copies files that are not TypeScript.
for (const path of globSync('**/*.js', { cwd: out })) {
  const file = join(out, path);
  const text = readFileSync(file, 'utf8');
  const rewritten = text.replaceAll(/(new URL\(['"][^'"]+)\.ts(['"],\s*import\.meta\.url\))/g, '$1.js$2');
  if (rewritten !== text) writeFileSync(file, rewritten);
}
const assets = globSync(
  [
    'bin/**',
    'host/cli/new-plugin/*',
    '{core,adapters,plugins,host,config}/**/*.{yaml,sh,sql,html,css,scm,wasm}',
    'plugins/web/assets/{scripts/*.js,images/*.svg}',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'bench/README.md',
    'docs/**/*.md',
    'docs/pictures/*.png',
    'adapters/tree-sitter/grammars/README.md',
    'docs/plugin-api.txt',
    'docs/examples/**/*.{ts,json}',
  ],
  { cwd: root, withFileTypes: true, exclude: ['**/node_modules/**', '**/dist/**'] },
)
  .filter((entry) => entry.isFile() && entry.name !== 'hexforge.yaml')
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
for (const path of assets) {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  cpSync(join(root, path), join(out, path));
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
writeFileSync(join(out, 'package.json'), `${JSON.stringify(packageManifest(manifest), null, 2)}\n`);
for (const path of Object.values(manifest.bin)) chmodSync(join(out, path), 0o755);
process.stdout.write(`built ${out}\n`);
