// The files of a repository in an index: incremental changes, interruptions, forced reading, and limits.
import t from 'tap';
import { codeSection } from '#core/search/index';
import { readFileState } from '#core/search/indexing/file-state';
import { syncFiles } from '#core/search/indexing/sync-files';
import { first, signal, world } from './world.ts';

const source = { section: codeSection, repositoryId: first };
const docs = { section: 'docs', repositoryId: first };

async function synced(options: Parameters<typeof world>[0] = {}) {
  const made = await world(options);
  const repository = made.create(first);
  const index = await made.index();
  const sync = syncFiles(made.parts);
  return {
    ...made,
    index,
    sync: ({ forced = false, isOver = () => false }: { forced?: boolean; isOver?: () => boolean } = {}) =>
      sync(index, repository, { forced, isOver, signal }),
    state: async () => readFileState(await index.state(source)),
    documents: async () => (await index.entries(docs, undefined, 1000)).map(({ key }) => key),
    symbols: async (path: string) => (await made.state.backend?.symbolsOf(first, path))?.map(({ name }) => name),
  };
}

void t.test('only changed files are read, and moved ones are not read into the index again', async (t) => {
  const { trees, sync, paths, state, documents, symbols } = await synced();
  trees.commit(first, 'c1', { 'a.py': 'def one\n', 'b.py': 'def two\n', 'd.md': '# Doc\n', 'x.bin': 'x\0' });
  t.equal(await sync(), 'done');
  t.strictSame(await paths(), ['a.py', 'b.py', 'd.md']);
  t.strictSame([await documents(), await symbols('a.py'), (await state())?.tip], [['d.md'], ['one'], 'c1']);
  t.equal(trees.read.length, 3, 'the name of a binary file is enough');

  trees.read = [];
  t.equal(await sync(), 'done');
  t.strictSame(trees.read, [], 'the tip is unchanged');

  trees.commit(first, 'c2', { 'z/a.py': 'def one\n', 'b.py': 'def three\n', 'e.md': '# Doc\n', 'new.txt': 'new\n' });
  t.equal(await sync(), 'done');
  t.strictSame(await paths(), ['b.py', 'e.md', 'new.txt', 'z/a.py']);
  t.strictSame([await documents(), await symbols('z/a.py'), await symbols('b.py')], [['e.md'], ['one'], ['three']]);
  t.equal(trees.open, 0, 'every stream was ended');
});

void t.test('files that are not indexed may move, and come and go', async (t) => {
  const { trees, sync, paths, documents } = await synced();
  const large = 'x\n'.repeat(600_000);
  trees.commit(first, 'c1', {
    data: 'a\0',
    large,
    'dense.js': 'a=b;'.repeat(3000),
    'a.txt': 'a\n',
    'doc.md': 'text\n',
  });
  await sync();
  t.strictSame(await paths(), ['a.txt', 'doc.md']);
  trees.commit(first, 'c2', {
    'moved/data': 'a\0',
    'moved/large': large,
    'moved/dense.js': 'a=b;'.repeat(3000),
    'moved.txt': 'a\n',
    'doc.md': 'a\0',
  });
  t.equal(await sync(), 'done');
  t.strictSame([await paths(), await documents()], [['moved.txt'], []], 'a text that becomes binary is removed');
  trees.commit(first, 'c3', { 'moved.txt': 'a\0', 'moved/data': 'text now\n', 'a.min.js': 'a\n' });
  await sync();
  t.strictSame(await paths(), ['moved/data']);
  t.equal(trees.open, 0, 'also the streams of files that are too large');
});

void t.test('files with the same content may move at once, be copied, and change places', async (t) => {
  const { trees, sync, paths, symbols } = await synced();
  trees.commit(first, 'c1', { 'a.py': 'def same\n', 'b.py': 'def same\n', 'c.py': 'def c\n', 'd.py': 'def d\n' });
  await sync();
  trees.commit(first, 'c2', {
    'y.py': 'def same\n',
    'x.py': 'def same\n',
    'c.py': 'def d\n',
    'd.py': 'def c\n',
    'e.txt': 'def c\n',
  });
  await sync();
  t.strictSame(await paths(), ['c.py', 'd.py', 'e.txt', 'x.py', 'y.py']);
  t.strictSame([await symbols('c.py'), await symbols('d.py'), await symbols('x.py')], [['d'], ['c'], ['same']]);
  trees.commit(first, 'c3', { 'x.txt': 'def same\n', 'y.md': 'def same\n' });
  await sync();
  t.strictSame(await paths(), ['x.txt', 'y.md'], 'another language is read again');
});

void t.test('an incremental change that is interrupted is completed by comparing all files', async (t) => {
  const { trees, sync, paths, state } = await synced();
  const before = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${1000 + at}.txt`, `${at}\n`]));
  trees.commit(first, 'c1', before);
  await sync();
  const after = Object.fromEntries(
    Object.keys(before).map((path, at) => [at % 3 === 0 ? `n${path}` : path, `x${at}\n`]),
  );
  trees.commit(first, 'c2', after);
  let reads = 0;
  trees.before = () => {
    if ((reads += 1) > 150) throw new Error('interrupted');
  };
  await t.rejects(sync(), /interrupted/);
  t.match(await state(), { tip: 'c2', after: '' }, 'the stored state says that it is not whole');
  trees.before = () => undefined;
  t.equal(await sync(), 'done');
  t.strictSame(await paths(), Object.keys(after).toSorted());
  t.strictSame(await state(), { version: 1, tip: 'c2' });
});

void t.test('a comparison stops when its time is over, and continues where it stopped', async (t) => {
  const { trees, sync, paths, state } = await synced();
  const many = Object.fromEntries(Array.from({ length: 2500 }, (_, at) => [`f${10_000 + at}.txt`, `${at}\n`]));
  trees.commit(first, 'c1', many);
  const isOver = (): boolean => true;
  t.equal(await sync({ isOver }), 'unfinished');
  t.strictSame([(await paths()).length, (await state())?.after], [1000, 'f10999.txt']);
  trees.read = [];
  t.equal(await sync({ isOver }), 'unfinished');
  t.equal(trees.read.length, 1000, 'the first thousand is not read again');
  t.equal(await sync({ isOver }), 'done');
  t.strictSame([(await paths()).length, await state()], [2500, { version: 1, tip: 'c1' }]);

  await t.test('a push in between begins again, and reads only what differs', async (t) => {
    trees.commit(first, 'c2', { 'a.txt': 'a\n', ...many, 'f10000.txt': 'changed\n' });
    trees.commits.delete('c1');
    trees.read = [];
    t.equal(await sync({ isOver }), 'unfinished', 'the old commit is gone');
    trees.commit(first, 'c3', { ...many, 'z.txt': 'z\n' });
    t.equal(await sync(), 'done');
    t.strictSame(await paths(), [...Object.keys(many), 'z.txt']);
    t.ok(trees.read.length < 10, `${trees.read.length} files were read`);
  });
});

void t.test('forced: every file is read again, also after an interruption or a push in between', async (t) => {
  const { trees, sync, paths, state } = await synced();
  const many = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`f${10_000 + at}.txt`, `${at}\n`]));
  trees.commit(first, 'c1', many);
  await sync();
  trees.read = [];
  t.equal(await sync({ forced: true, isOver: () => true }), 'unfinished');
  t.match(await state(), { after: 'f10999.txt', forced: true });
  t.equal(await sync(), 'done');
  t.equal(trees.read.length, 1500);
  trees.read = [];
  await sync({ forced: true, isOver: () => true });
  trees.commit(first, 'c2', { ...many, 'z.txt': 'z\n' });
  t.equal(await sync(), 'done');
  t.equal(trees.read.length, 2501, 'the first thousand twice');
  t.strictSame([(await paths()).length, await state()], [1501, { version: 1, tip: 'c2' }]);
});

void t.test('an empty repository, one without its branch any more, and one that is too large', async (t) => {
  const { trees, sync, paths, state, documents } = await synced({ mostBytes: 1000 });
  t.equal(await sync(), 'done');
  t.strictSame([await paths(), await state()], [[], { version: 1 }]);
  trees.commit(first, 'c1', { 'a.md': 'a\n', 'image.png': 'x'.repeat(5000) });
  await sync();
  t.strictSame([await paths(), await documents()], [['a.md'], ['a.md']]);
  trees.tips.delete(first);
  await sync();
  t.strictSame([await paths(), await documents(), await state()], [[], [], { version: 1 }]);
  trees.commit(first, 'c2', { 'a.md': 'a\n', 'b.txt': 'x\n'.repeat(1000) });
  t.equal(await sync(), 'done');
  t.strictSame([await paths(), await documents(), await state()], [[], [], { version: 1, tip: 'c2', tooLarge: true }]);
  trees.read = [];
  await sync();
  t.strictSame(trees.read, []);
  trees.commit(first, 'c3', { 'a.md': 'a\n' });
  await sync();
  t.strictSame([await paths(), await documents()], [['a.md'], ['a.md']], 'it is small again');
});
