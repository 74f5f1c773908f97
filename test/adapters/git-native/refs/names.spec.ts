// Files whose names look like parts of git's output are handled like all other files.
import t from 'tap';
import type { DiffCaps } from '#core/repositories/git/git-backend';
import { data, line, write } from '#test/contracts/git/history';
import { git, must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { pushable } from '../provider.ts';

const id = '0f000000-0000-4000-8000-000000000000';
const caps: DiffCaps = { maxFileBytes: 2 ** 19, maxTotalBytes: 2 ** 22, maxFileLines: 20_000, maxFiles: 1000 };

/** In byte order. */
const names = [
  ' ',
  '\t',
  '\n',
  '\ndiff --git a b',
  ' leading',
  '"quoted"',
  '-\t-\t',
  '--',
  '1\t2\t',
  '1\t2\tname',
  ':(glob)*',
  ':100644 100644 0 0 R100',
  ':colon',
  'a => b',
  'a -> b',
  'aa\t',
  'back\\slash',
  'dir/1\t1\t',
  'dir\t/tab\t',
  'end ',
  'end\n',
  'login.js',
  'new\nline',
  'tab\tbetween',
  'zz\t',
  '{a => b}',
].toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

void t.test("names that look like parts of git's output", { timeout: 120_000 }, async (t) => {
  // Speed does not matter here.
  const { native, client, url } = await pushable(t, await temporaryFolder(t), id, { limits: { computeSeconds: 60 } });
  const on = (branch: string, from: string, text: (name: string, index: number) => string): readonly Buffer[] => [
    line(`commit refs/heads/${branch}\ncommitter Ada <ada@example.org> 1700000000 +0000`),
    data(branch),
    ...(from === '' ? [] : [line(`from refs/heads/${from}`)]),
    ...names.flatMap((name, index) => write(name, text(name, index))),
  ];
  const lines = (count: number, text: string): string => `${text}\n`.repeat(count);
  const input = Buffer.concat([
    line('commit refs/heads/empty\ncommitter Ada <ada@example.org> 1700000000 +0000'),
    data('empty'),
    ...on('main', 'empty', (name, index) => lines(index + 1, 'one')),
    ...on('topic', 'main', (name, index) => lines(index + 2, 'two')),
    ...on('ours', 'main', (name, index) => lines(index + 1, 'three')),
  ]);
  t.equal((await git(client, ['fast-import', '--quiet', '--date-format=raw'], { input })).code, 0);
  await must(client, ['push', '-q', url, '--all']);
  const [empty = '', main = '', topic = '', ours = ''] = await native.readRefs(
    id,
    ['empty', 'main', 'topic', 'ours'].map((branch) => `refs/heads/${branch}`),
  );

  await t.test('diffs have the counts and the patch of each file', async (t) => {
    const counted = names.map((name, index) => [name, index + 2, index + 1]);
    const patch = await native.patch(id, { from: main, to: topic, algorithm: 'myers' }, caps);
    t.same(
      patch.files.map(({ newPath, additions, deletions }) => [newPath, additions, deletions]),
      counted,
    );
    t.equal(patch.omitted, undefined);
    t.ok(patch.files.every(({ sections }) => sections.length === 1 && sections[0]?.hunks.startsWith('@@ ')));
    const difference = await native.difference(id, main, topic);
    t.same(
      difference.files.map(({ path, additions, deletions }) => [path, additions, deletions]),
      counted,
    );
    t.ok(difference.files.every((file) => file.patch?.startsWith('@@ ')));
  });

  await t.test('a path selects exactly that file', async (t) => {
    for (const name of names) {
      const patch = await native.patch(id, { from: main, to: topic, algorithm: 'myers', paths: [name] }, caps);
      t.same(
        patch.files.map(({ newPath }) => newPath),
        [name],
      );
    }
  });

  await t.test('a rename of each file has both names', async (t) => {
    const renamed = Buffer.concat([
      line('commit refs/heads/renamed\ncommitter Ada <ada@example.org> 1700000000 +0000'),
      data('renamed'),
      line('from refs/heads/empty'),
      ...names.flatMap((name, index) => write(`${name}\t`, `${lines(20, `line of ${index}`)}`)),
      line('commit refs/heads/renamed\ncommitter Ada <ada@example.org> 1700000000 +0000'),
      data('renamed'),
      line('deleteall'),
      ...names.flatMap((name, index) => write(`${name}\tx\t`, `${lines(20, `line of ${index}`)}more\n`)),
    ]);
    t.equal((await git(client, ['fast-import', '--quiet', '--date-format=raw'], { input: renamed })).code, 0);
    await must(client, ['push', '-q', url, 'renamed']);
    const [to = ''] = await native.readRefs(id, ['refs/heads/renamed']);
    const [from = ''] = (await native.commitRecord(id, to))?.parents ?? [];
    const { files } = await native.patch(id, { from, to, algorithm: 'myers' }, caps);
    t.same(
      new Set(
        files.map(({ oldPath, newPath, additions, deletions }) => [oldPath, newPath, additions, deletions].join()),
      ),
      new Set(names.map((name) => [`${name}\t`, `${name}\tx\t`, 1, 0].join())),
    );
  });

  await t.test('conflicts have their names', async (t) => {
    const tried = await native.tryMerge(id, { target: ours, source: topic, strategy: 'merge' });
    t.same(new Set(tried.conflicts), new Set(names));
  });

  await t.test('sizes, last commits, blame and history of each are correct', async (t) => {
    const sizes = await native.sizes(id, main, (path) => path);
    t.same(new Map(sizes), new Map(names.map((name, index) => [name, 4 * (index + 1)])));
    const last = await native.lastCommits(id, topic, '');
    t.same(
      new Map([...last].map(([name, { oid }]) => [name, oid])),
      new Map(names.map((name) => [name.split('/', 1)[0], topic])),
    );
    for (const name of names) {
      t.same(
        (await native.blame(id, main, name))?.map(({ oid }) => oid),
        Array.from({ length: names.indexOf(name) + 1 }, () => main),
      );
      const page = await native.history(id, { tip: topic, path: name, skip: 0, limit: 10 });
      t.same(
        page.map(({ oid }) => oid),
        [topic, main],
      );
    }
    t.same((await native.difference(id, empty, main)).files.length, names.length);
  });
});
