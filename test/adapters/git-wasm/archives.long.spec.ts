// Archives of git-wasm have the files that `git archive` packs, with the attribute `export-ignore` in every form.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { gitWasm } from '#adapters/git-wasm/index';
import { serve } from '#test/contracts/git/http-server';
import { bytesOf, newId } from '#test/contracts/git/provider';
import { git, must } from '#test/contracts/git/stock-git';
import { quiet } from './provider.ts';

const root = [
  '[attr]hidden export-ignore',
  'top export-ignore',
  '*.log export-ignore',
  'keep.log -export-ignore',
  '/docs/private export-ignore',
  'a/**/z export-ignore',
  'secret? hidden',
  '"quo\\tted" export-ignore',
  'dir/ export-ignore',
  '[x-z]file export-ignore',
  '[!x-z]note export-ignore',
  'whole export-ignore',
  'src/*.gen export-ignore',
].join('\n');

const files: Readonly<Record<string, string>> = {
  '.gitattributes': root,
  top: '1',
  'sub/top': '1',
  'x.log': '1',
  'keep.log': '1',
  'docs/private': '1',
  'sub/docs/private': '1',
  'a/z': '1',
  'a/b/c/z': '1',
  'a/b/y': '1',
  secret1: '1',
  secret12: '1',
  'quo\tted': '1',
  'dir/file': '1',
  yfile: '1',
  afile: '1',
  anote: '1',
  xnote: '1',
  'whole/one': '1',
  'whole/two/three': '1',
  'src/a.gen': '1',
  'src/deep/a.gen': '1',
  'sub/.gitattributes': '*.log -export-ignore\nown export-ignore\n',
  'sub/x.log': '1',
  'sub/own': '1',
  'sub/deep/own': '1',
};

void t.test('an archive leaves out what git leaves out', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-wasm-archives-'));
  const backend = gitWasm({ root: join(folder, 'root'), log: quiet });
  const server = await serve(backend);
  t.teardown(async () => {
    await server.stop();
    await backend.close();
    await rm(folder, { recursive: true, force: true });
  });
  const id = newId();
  await backend.create(id, { defaultBranch: 'main' });
  const client = join(folder, 'client');
  await must(folder, ['init', '-q', '-b', 'main', client]);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(client, path)), { recursive: true });
    await writeFile(join(client, path), content);
  }
  await must(client, ['add', '-A']);
  await must(client, ['commit', '-q', '-m', 'files']);
  await must(client, ['push', '-q', server.url(id), 'main']);
  const tip = await must(client, ['rev-parse', 'HEAD']);
  const { stdout: expected } = await git(client, ['archive', '--format=tar', '--prefix=p/', tip]);
  const made = await bytesOf(await backend.archive(id, tip, { format: 'tar.gz', prefix: 'p/' }));
  t.ok(gunzipSync(made).toString('utf8') === expected, 'the same tar archive');
  const namesIn = (tar: string): readonly string[] => [...tar.matchAll(/p\/[^\0]*(?=\0+0000[67])/g)].map(String);
  t.strictSame(namesIn(gunzipSync(made).toString('utf8')), namesIn(expected));
});
