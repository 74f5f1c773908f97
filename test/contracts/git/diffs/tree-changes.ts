// Checks of the files that differ between two commits: compared with stock `git diff-tree`, and read in parts.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { longest } from '#core/repositories/git/clipping';
import { zeroOid, type Oid, type TreeChange } from '#core/repositories/git/git-backend';
import type { Check } from '../../checks.ts';
import { data, latinName, line, quoted, submodule, write } from '../history.ts';
import { client, fresh, newId, type Bench } from '../provider.ts';
import { git, must } from '../stock-git.ts';
import { generatedChange } from './generated-changes.ts';
import { changed, ends } from './pairs.ts';

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const absent = 'f'.repeat(40);
/** More than any of these commits has files. */
const all = { limit: 10_000 };

const told = ({ path, old, new: now }: TreeChange): string => `${old} ${now} ${path}`;

/** The regular files among the changes of stock git whose blobs differ. */
async function listed(folder: string, from: Oid | undefined, to: Oid): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from ?? emptyTree, to];
  const { code, stdout, stderr } = await git(folder, args);
  assert.equal(code, 0, stderr);
  const fields = stdout.split('\0').slice(0, -1);
  const found: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const [oldMode, newMode, oldOid, newOid] = (fields[at] ?? '').slice(1).split(' ');
    const blob = (mode: string | undefined, oid: string | undefined): string | undefined =>
      mode === '100644' || mode === '100755' ? oid : undefined;
    const [old, now] = [blob(oldMode, oldOid), blob(newMode, newOid)];
    if (old !== now) found.push(`${old} ${now} ${fields[at + 1]}`);
  }
  return found;
}

/** All changes, read in parts of `limit`. */
async function inParts(
  { backend }: Bench,
  repository: string,
  from: Oid | undefined,
  to: Oid,
  limit: number,
): Promise<readonly TreeChange[]> {
  const found: TreeChange[] = [];
  for (;;) {
    const after = found.at(-1)?.path;
    const { changes, more } = await backend.treeChanges(repository, from, to, { after, limit });
    assert.ok(changes.length <= limit, `${changes.length} changes at a limit of ${limit}`);
    assert.ok(changes.length === limit || !more, 'a part that is not the last one is full');
    found.push(...changes);
    if (!more) return found;
    assert.notEqual(found.at(-1)?.path, after, 'a part begins after the last path of the one before');
  }
}

interface Entry {
  readonly name: string | Buffer;
  readonly content: string;
  readonly mode?: string;
}
type Kind = (name: string | Buffer, content: string) => Entry;
const file: Kind = (name, content) => ({ name, content });
const executable: Kind = (name, content) => ({ name, content, mode: '100755' });
const link: Kind = (name, content) => ({ name, content, mode: '120000' });
const module: Kind = (name, content) => ({ name, content: submodule.replaceAll('1', content), mode: '160000' });

/** A repository behind the port with a commit for each list of files, none of which has a parent. */
async function commits(
  bench: Bench,
  ...trees: readonly (readonly Entry[])[]
): Promise<{ readonly repository: string; readonly folder: string; readonly oids: readonly [Oid, ...Oid[]] }> {
  const repository = await fresh(bench);
  const folder = await client(bench, repository, []);
  const script = trees.flatMap((entries, at) => [
    line(`commit refs/heads/tree-${at}`),
    line('committer Ada <ada@example.org> 1700000000 +0000'),
    data('files'),
    ...entries.flatMap(({ name, content, mode = '100644' }) =>
      mode === '160000' ? [line(`M 160000 ${content} ${quoted(name)}`)] : write(name, content, mode),
    ),
  ]);
  const { code, stderr } = await git(folder, ['fast-import', '--quiet', '--date-format=raw'], {
    input: Buffer.concat(script),
  });
  assert.equal(code, 0, stderr);
  await must(folder, ['push', '-q', '--all', 'origin']);
  const [first = '', ...others] = await Promise.all(trees.map((_, at) => must(folder, ['rev-parse', `tree-${at}`])));
  return { repository, folder, oids: [first, ...others] };
}

/** Changes of each kind of entry: its name, the old and the new one, and whether the file changed. */
const kinds: readonly (readonly [string, Entry | undefined, Entry | undefined, boolean])[] = [
  ['added', undefined, file('added', '1'), true],
  ['removed', file('removed', '1'), undefined, true],
  ['same', file('same', '1'), file('same', '1'), false],
  ['changed', file('changed', '1'), file('changed', '2'), true],
  ['made executable', file('made executable', '1'), executable('made executable', '1'), false],
  ['no longer executable', executable('no longer executable', '1'), file('no longer executable', '1'), false],
  ['executable and changed', file('executable and changed', '1'), executable('executable and changed', '2'), true],
  ['file to link', file('file to link', '1'), link('file to link', '1'), true],
  ['link to file', link('link to file', '1'), file('link to file', '1'), true],
  ['file to module', file('file to module', '1'), module('file to module', '5'), true],
  ['module to file', module('module to file', '5'), file('module to file', '1'), true],
  ['link to module', link('link to module', '1'), module('link to module', '5'), false],
  ['link to link', link('link to link', '1'), link('link to link', '2'), false],
  ['module to module', module('module to module', '5'), module('module to module', '6'), false],
  ['link removed', link('link removed', '1'), undefined, false],
  ['module added', undefined, module('module added', '5'), false],
  ['file to folder', file('file to folder', '1'), undefined, true],
  ['file to folder/a', undefined, file('file to folder/a', '1'), true],
  ['folder to file/a/b', file('folder to file/a/b', '1'), undefined, true],
  ['folder to file', undefined, file('folder to file', '1'), true],
  ['link to folder', link('link to folder', '1'), undefined, false],
  ['link to folder/a', undefined, file('link to folder/a', '1'), true],
  ['folder to module/a', file('folder to module/a', '1'), undefined, true],
  ['folder to module', undefined, module('folder to module', '5'), false],
];

/** Names in the order of their bytes. */
const names = [
  '\u0001control',
  ' blank before',
  '"quoted"',
  '-dash',
  'A',
  '\\backslash',
  'a',
  'a b',
  'a!',
  'a-b',
  'a.b',
  'a/b',
  'a/b.c',
  'a/b/c',
  'a0',
  'blank after ',
  'cafe\u0301',
  'caf\u00e9',
  'new\nline',
  'newline at the end\n',
  'tab\tbed',
  '\u6f22\u5b57',
  '\ufeffmark',
  '\ufffdreplaced',
  '\uffee',
  '\u{10000}',
  '\u{1f600}',
].filter((name) => name !== 'a' && name !== 'a/b');

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

export const treeChangeChecks: readonly Check<Bench>[] = [
  {
    name: 'the files that differ are those of git diff-tree, from each side and from nothing',
    async run(bench) {
      const changes = Array.from({ length: 20 }, (_, index) => generatedChange(index + 1));
      const { repository, folder } = await changed(bench, changes);
      for (const [index] of changes.entries()) {
        const { from, to } = await ends(folder, index);
        for (const [one, other] of [
          [from, to],
          [to, from],
          [undefined, to],
          [to, to],
        ] as const) {
          const what = `pair ${index}, ${one} to ${other}`;
          const expected = await listed(folder, one, other);
          const { changes: found, more } = await bench.backend.treeChanges(repository, one, other, all);
          assert.deepEqual([found.map(told), more], [expected, false], what);
          if (one !== from || other !== to || index % 3 > 0) continue;
          const limit = 1 + (index % 2);
          assert.deepEqual((await inParts(bench, repository, one, other, limit)).map(told), expected, what);
        }
      }
    },
  },
  {
    name: 'the files of a long history differ as in git diff-tree, whatever the commits have to do with each other',
    async run(bench) {
      const oids = (await must(bench.source, ['rev-list', '--all', '--not', 'noise'])).split('\n');
      for (let at = 0; at < oids.length; at += 9) {
        const [from, to = ''] = [oids[(at * 7 + 3) % oids.length], oids[at]];
        const { changes } = await bench.backend.treeChanges(bench.filled, from, to, all);
        const expected = (await listed(bench.source, from, to)).filter((row) => !row.includes('\ufffd'));
        assert.deepEqual(changes.map(told), expected, `${from} to ${to}`);
      }
    },
  },
  {
    name: 'links and submodules count as missing files, and a change of the mode alone is left out',
    async run(bench) {
      const { repository, folder, oids } = await commits(
        bench,
        kinds.flatMap(([, before]) => before ?? []),
        kinds.flatMap(([, , after]) => after ?? []),
      );
      const [from, to = ''] = oids;
      const { changes, more } = await bench.backend.treeChanges(repository, from, to, all);
      const expected = kinds.filter(([, , , changes]) => changes).map(([name]) => name);
      assert.deepEqual([changes.map(({ path }) => path), more], [expected.toSorted(byBytes), false]);
      assert.deepEqual(changes.map(told), await listed(folder, from, to));
      const isFile = (entry: Entry | undefined): boolean =>
        entry !== undefined && (entry.mode === undefined || entry.mode === '100755');
      for (const { path, old, new: now } of changes) {
        const [, before, after] = kinds.find(([name]) => name === path) ?? [];
        assert.deepEqual([old !== undefined, now !== undefined], [isFile(before), isFile(after)], path);
        for (const oid of [old, now]) assert.ok(oid === undefined || (/^[0-9a-f]{40}$/.test(oid) && oid !== zeroOid));
      }
      const whole = (await bench.backend.treeChanges(repository, undefined, to, all)).changes;
      assert.deepEqual(
        whole.map(({ path }) => path),
        kinds
          .filter(([, , after]) => isFile(after))
          .map(([name]) => name)
          .toSorted(byBytes),
      );
      assert.ok(whole.every(({ old, new: now }) => old === undefined && now !== undefined));
    },
  },
  {
    name: 'paths are in the order of their bytes and unchanged, and a part begins after any path',
    async run(bench) {
      const { repository, oids } = await commits(
        bench,
        [],
        names.map((name) => file(name, name)),
      );
      const [nothing, to = ''] = oids;
      const sorted = names.toSorted(byBytes);
      for (const from of [undefined, nothing])
        for (const limit of [1, 2, 5, names.length - 1, names.length, names.length + 1]) {
          const found = await inParts(bench, repository, from, to, limit);
          assert.deepEqual(
            found.map(({ path }) => path),
            sorted,
            `limit ${limit}`,
          );
        }
      for (const [at, path] of sorted.entries()) {
        const read = async (after: string, limit: number) =>
          await bench.backend.treeChanges(repository, nothing, to, { after, limit });
        const { changes, more } = await read(path, all.limit);
        assert.deepEqual([changes.map((one) => one.path), more], [sorted.slice(at + 1), false], path);
        // Not the name of a file, and the first one after it.
        assert.equal((await read(`${path}\u0001`, 1)).changes[0]?.path, sorted[at + 1], path);
        const rest = sorted.length - at - 1;
        assert.equal((await read(path, Math.max(rest, 1))).more, false, 'exactly as many as there are');
        if (rest > 1) assert.equal((await read(path, rest - 1)).more, true, 'one less than there are');
      }
      assert.equal((await bench.backend.treeChanges(repository, nothing, to, { after: '', limit: 1 })).more, true);
    },
  },
  {
    name: 'paths that are not UTF-8, or too long, are left out without ending a part',
    async run(bench) {
      const deep = (length: number, letter: string): string =>
        Array.from({ length }, (_, at) => (at % 100 === 99 ? '/' : letter))
          .join('')
          .replace(/\/$/, letter);
      const kept = [deep(longest.path, 'x'), deep(longest.path, '\u6f22'), 'a', 'z'];
      const left = [
        deep(longest.path + 1, 'y'),
        deep(longest.path + 1, '\u5b57'),
        deep(5 * longest.path + 100, 'w'),
        latinName,
        Buffer.from('folder \xff/file', 'latin1'),
        Buffer.from('surrogate \xed\xa0\x80', 'latin1'),
        Buffer.from('overlong \xc0\xaf', 'latin1'),
      ];
      const { repository, folder, oids } = await commits(
        bench,
        [],
        [...kept, ...left].map((name) => file(name, 'text')),
      );
      const [from, to = ''] = oids;
      assert.equal((await listed(folder, from, to)).length, kept.length + left.length);
      const { changes, more } = await bench.backend.treeChanges(repository, from, to, all);
      const sorted = kept.toSorted(byBytes);
      assert.deepEqual([changes.map(({ path }) => path), more], [sorted, false]);
      for (const limit of [1, 3])
        assert.deepEqual(
          (await inParts(bench, repository, from, to, limit)).map(({ path }) => path),
          sorted,
        );
    },
  },
  {
    name: 'a tree of many files is read in parts, and the last part ends',
    async run(bench) {
      const many = Array.from({ length: 5000 }, (_, at) => `${at % 13}/folder ${at % 7}/${at}.ts`);
      const { repository, folder, oids } = await commits(
        bench,
        many.map((name) => file(name, name)),
        many.map((name, at) => file(name, at % 2 === 0 ? name : 'changed')),
      );
      const [from, to = ''] = oids;
      for (const [one, other] of [
        [undefined, from],
        [from, to],
      ] as const)
        assert.deepEqual(
          (await inParts(bench, repository, one, other, 1000)).map(told),
          await listed(folder, one, other),
        );
      const { changes, more } = await bench.backend.treeChanges(repository, from, to, { limit: 2500 });
      assert.deepEqual([changes.length, more], [2500, false]);
    },
  },
  {
    name: 'a commit or a repository that does not exist rejects',
    async run(bench) {
      const { repository, oids } = await commits(bench, [file('a', '1')]);
      const [commit] = oids;
      for (const [id, from, to] of [
        [repository, commit, absent],
        [repository, absent, commit],
        [repository, undefined, absent],
        [repository, absent, absent],
        [newId(), undefined, commit],
      ] as const)
        await assert.rejects(bench.backend.treeChanges(id, from, to, all), `${from} to ${to}`);
      const { changes } = await bench.backend.treeChanges(repository, undefined, commit, all);
      assert.equal(changes.length, 1, 'the repository still answers');
    },
  },
  {
    name: 'an aborted comparison rejects, and the next one is answered',
    async run(bench) {
      const many = Array.from({ length: 3000 }, (_, at) => file(`${at}`, `${at}`));
      const { repository, oids } = await commits(bench, many);
      const [commit] = oids;
      const compare = (signal?: AbortSignal) => bench.backend.treeChanges(repository, undefined, commit, all, signal);
      await assert.rejects(compare(AbortSignal.abort()), 'aborted before it began');
      const controller = new AbortController();
      const running = Promise.allSettled([compare(controller.signal)]);
      setImmediate(() => controller.abort());
      assert.equal((await running).length, 1, 'one that is aborted while it runs ends');
      assert.equal((await compare(new AbortController().signal)).changes.length, 3000);
    },
  },
];
