// Reading folders, files and raw bytes at a ref, with entity tags that avoid the work.
import t from 'tap';
import { inlineLimit } from '#core/repositories/contents/contents';
import type { Repository } from '#core/repositories/index';
import { alice, world, type World, refusal } from './world.ts';

async function start(t: {
  teardown(work: () => Promise<void>): unknown;
}): Promise<{ forge: World; repository: Repository }> {
  const forge = await world();
  t.teardown(() => forge.close());
  return { forge, repository: await forge.useCases.create(forge.as(alice), { name: 'a' }) };
}
const at = async (forge: World, repository: Repository, path: string, ref?: string) =>
  forge.useCases.contents(await forge.granted(alice, 'repo.read', repository), { path, ref });
const file = async (forge: World, repository: Repository, path: string, ref?: string) => {
  const found = await at(forge, repository, path, ref);
  return found.kind === 'file' ? found.read() : undefined;
};
const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : new TextDecoder().decode(bytes));

void t.test('an empty repository is an empty folder at its root', async (t) => {
  const { forge, repository } = await start(t);
  for (const ref of [undefined, 'HEAD', 'main'])
    t.same(await (await at(forge, repository, '', ref)).read(), { items: [], truncated: false }, String(ref));
  await t.rejects(at(forge, repository, 'a'), refusal('not_found'));
  await t.rejects(at(forge, repository, '', 'other'), refusal('not_found'));
});

void t.test('a folder has its entries with their last commits', async (t) => {
  const { forge, repository } = await start(t);
  const commit = forge.git.commit(repository.id, 'refs/heads/main', {
    'README.md': '# Hi',
    'src/a.ts': 'a',
    'src/deep/b.ts': 'b',
    'link@': 'README.md',
    'sub!': '',
  });
  const found = await at(forge, repository, '');
  t.equal(found.tag, `tree-${commit}`);
  const last = (name: string) => ({ lastCommit: { subject: `Add ${name}`, committedAt: new Date(0), oid: commit } });
  t.same(await found.read(), {
    truncated: false,
    items: [
      { name: 'README.md', path: 'README.md', type: 'file', size: 4, mode: '100644', ...last('README.md') },
      { name: 'link', path: 'link', type: 'symlink', size: 9, mode: '120000', ...last('link') },
      { name: 'src', path: 'src', type: 'directory', size: 0, mode: '040000', ...last('src') },
      { name: 'sub', path: 'sub', type: 'submodule', size: 0, mode: '160000', ...last('sub') },
    ],
  });
  forge.git.unknownLastCommits.add('a.ts');
  const inside = await at(forge, repository, 'src');
  t.same(
    inside.kind === 'directory' &&
      (await inside.read()).items.map(({ path, lastCommit }) => [path, lastCommit === undefined]),
    [
      ['src/a.ts', true],
      ['src/deep', false],
    ],
  );
  await t.rejects(at(forge, repository, 'nowhere'), refusal('not_found'));
  await t.rejects(at(forge, repository, '', 'nowhere'), refusal('not_found'));
});

void t.test('a file has its bytes, kind and language; its tag needs no bytes', async (t) => {
  const { forge, repository } = await start(t);
  forge.git.commit(repository.id, 'refs/heads/main', {
    'a.ts': 'let a;',
    'b.bin': new Uint8Array([1, 0, 2]),
    empty: '',
    'link@': '../etc/passwd',
    'sub!': '',
  });
  forge.git.commit(repository.id, 'refs/tags/v1', { 'a.ts': 'old' });
  forge.git.calls.length = 0;
  t.match((await at(forge, repository, 'a.ts')).tag, /^file-[0-9a-f]{40}$/);
  t.same(forge.git.calls, ['entry']);
  t.match(await file(forge, repository, 'a.ts'), { path: 'a.ts', isBinary: false, lang: 'typescript', size: 6 });
  t.equal(text((await file(forge, repository, 'a.ts', 'v1'))?.content), 'old');
  t.match(await file(forge, repository, 'b.bin'), { isBinary: true, lang: '', size: 3 });
  t.equal((await file(forge, repository, 'empty'))?.content?.length, 0);
  t.equal(text((await file(forge, repository, 'link'))?.content), '../etc/passwd', 'a symbolic link is the text in it');
  t.match(await file(forge, repository, 'sub'), { content: undefined, size: 0, isBinary: false });
  await t.rejects(at(forge, repository, 'link/passwd'), refusal('not_found'), 'nothing is below a symbolic link');
});

void t.test('a file over the limit is described without its content', async (t) => {
  const { forge, repository } = await start(t);
  const large = new Uint8Array(inlineLimit + 1).fill(65);
  const binary = large.slice();
  binary[7999] = 0;
  forge.git.commit(repository.id, 'refs/heads/main', { large, binary, just: large.slice(1) });
  const described = await file(forge, repository, 'large');
  t.same([described?.content, described?.size, described?.isBinary], [undefined, inlineLimit + 1, false]);
  t.equal((await file(forge, repository, 'binary'))?.isBinary, true);
  t.equal((await file(forge, repository, 'just'))?.content?.length, inlineLimit);
});

void t.test('raw bytes are found by the longest ref at the start of the path', async (t) => {
  const { forge, repository } = await start(t);
  forge.git.commit(repository.id, 'refs/heads/main', { 'a/b.txt': 'of main' });
  forge.git.commit(repository.id, 'refs/heads/feature/x', { 'a/b.txt': 'of feature/x', 'y/c.txt': 'not seen' });
  forge.git.commit(repository.id, 'refs/tags/feature/x/y', { 'c.txt': 'of the tag' });
  const read = async (target: string) => {
    const raw = await forge.useCases.rawFile(await forge.granted(alice, 'repo.read', repository), { target });
    const { bytes, size } = await raw.open();
    const content = Buffer.concat(await Array.fromAsync(bytes)).toString();
    t.equal(content.length, size);
    return content;
  };
  t.equal(await read('main/a/b.txt'), 'of main');
  t.equal(await read('HEAD/a/b.txt'), 'of main');
  t.equal(await read('feature/x/a/b.txt'), 'of feature/x');
  t.equal(await read('feature/x/y/c.txt'), 'of the tag');
  for (const target of [
    'main',
    'main/',
    'main/a',
    'main/a/../a/b.txt',
    'feature/a/b.txt',
    'nowhere/a',
    '/main/a/b.txt',
  ])
    await t.rejects(read(target), refusal('not_found'), target);
});

void t.test('raw bytes of any length are complete, and classified as text or binary', async (t) => {
  const { forge, repository } = await start(t);
  const bytes = new Uint8Array(100_000).map((_, index) => (index % 251) + 1);
  const late = bytes.slice();
  late[9000] = 0;
  const early = bytes.slice(1);
  early[7999] = 0;
  forge.git.commit(repository.id, 'refs/heads/main', { text: bytes, 'late.bin': late, early });
  for (const [name, content, isBinary] of [
    ['text', bytes, false],
    ['late.bin', late, false],
    ['early', early, true],
  ] as const) {
    const raw = await (
      await forge.useCases.rawFile(await forge.granted(alice, 'repo.read', repository), { target: `main/${name}` })
    ).open();
    t.equal(raw.isBinary, isBinary, name);
    t.same(Buffer.concat(await Array.fromAsync(raw.bytes)), Buffer.from(content));
  }
});
