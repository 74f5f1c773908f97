// Tests that the result of `npm run build` can be packed, installed and run elsewhere, without sources and development
// dependencies.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { layCluster } from '#test/support/servers/cluster';
import { Command, hexforge } from '#test/support/servers/command';
import { temporaryFolder } from '#test/support/folder';
import { packed } from './packed.ts';

/** The targets of the links on a page of the package, relative to its root. */
async function linksOf(
  project: string,
  page: string,
): Promise<readonly { readonly page: string; readonly to: string }[]> {
  const text = await readFile(join(project, 'node_modules/hexforge', page), 'utf8');
  return [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => ({
    page,
    to: /^https?:/.test(to) ? to : join(dirname(page), to).replace(/\/$/, ''),
  }));
}

void t.test('the build packs, installs and runs', async (t) => {
  const { manifest, files, program, project } = await packed();
  t.notMatch(
    JSON.stringify(manifest),
    /(?<!\.d)\.ts"|devDependencies|optionalDependencies|scripts/,
    'no development members are left',
  );
  t.notMatch(manifest, { private: true }, 'npm would refuse to publish it');
  t.strictSame(
    files.filter((path) => /(?<!\.d)\.ts$/.test(path) && !path.startsWith('docs/examples/')).sort(),
    ['host/cli/new-plugin/plugin.test.ts', 'host/cli/new-plugin/plugin.ts'],
    'no sources except examples and the template of new-plugin',
  );
  for (const path of [
    'README.md',
    'LICENSE',
    'config/hexforge.example.yaml',
    'host/sdk/plugin.js',
    'host/sdk/plugin.d.ts',
    'plugins/identity/plugin.js',
    'adapters/tree-sitter/grammars/tree-sitter-kotlin.wasm',
    'adapters/tree-sitter/queries/kotlin.scm',
    'docs/examples/labels/package.json',
    'docs/examples/chat-notifier/plugin.ts',
  ])
    t.ok(files.includes(path), path);

  // docs/tour.md is skipped, because it links to sources, which the package does not contain.
  const pages = files.filter((path) => path.endsWith('.md') && path !== 'docs/tour.md');
  const links = await Promise.all(pages.map((path) => linksOf(project, path)));
  t.strictSame(
    links.flat().filter(({ to }) => !/^https?:/.test(to) && !files.includes(to)),
    [],
    'every link of a page points to a file of the package',
  );

  const cwd = await temporaryFolder(t);
  const version = await hexforge(t, ['--version'], { cwd, program });
  t.equal(version.code, 0, version.stderr);
  t.match(version.stdout, manifest.version);

  await layCluster(join(cwd, 'data'));
  const server = new Command(t, ['serve'], { cwd, program, environment: { PORT: '0' } });
  const url = await server.listening();
  t.equal((await fetch(`${url}/readyz`)).status, 200);
  t.equal((await fetch(`${url}/api/v1/repos`)).status, 200);
  server.signal('SIGTERM');
  t.equal(await server.ended(), 0);
});
