// Checks of reading: revisions, refs, entries, trees, blobs and last commits, each compared with the output of stock
// git.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { NotFound } from '#core/kernel/errors';
import { zeroOid } from '#core/repositories/git/git-backend';
import type { Check } from '../checks.ts';
import { binary, submodule } from './history.ts';
import { bytesOf, client, fresh, imported, newId, type Bench } from './provider.ts';
import { must } from './stock-git.ts';

const latin = 'caf\uFFFD.txt';

async function commitOf({ source }: Bench, revision: string): Promise<string> {
  return await must(source, ['rev-parse', `${revision}^{commit}`]);
}

/** The names in a folder as git prints them, with raw bytes read as UTF-8. */
async function namesIn({ source }: Bench, commit: string, folder: string): Promise<readonly string[]> {
  const printed = await must(source, ['ls-tree', '-z', '--name-only', folder === '' ? commit : `${commit}:${folder}`]);
  return printed.split('\0').filter((name) => name !== '');
}

export const readChecks: readonly Check<Bench>[] = [
  {
    name: 'a branch, a tag, a full ref, an oid and HEAD resolve to their commit',
    async run(bench) {
      const { backend, filled } = bench;
      const main = await commitOf(bench, 'main');
      const expected: readonly (readonly [string, string])[] = [
        ['main', main],
        ['HEAD', main],
        ['refs/heads/main', main],
        [main, main],
        [main.slice(0, 12), main],
        [main.slice(0, 12).toUpperCase(), main],
        ['v1', await commitOf(bench, 'main~2')],
        ['v1-again', await commitOf(bench, 'main~2')],
        ['refs/tags/v1', await commitOf(bench, 'main~2')],
        ['light', await commitOf(bench, 'main~1')],
        ['feature/ä', await commitOf(bench, 'main~5')],
        [await must(bench.source, ['rev-parse', 'v1']), await commitOf(bench, 'main~2')],
      ];
      for (const [revision, oid] of expected)
        assert.equal(await backend.resolveCommit(filled, revision), oid, revision);
    },
  },
  {
    name: 'a branch has precedence over a tag of the same name',
    async run(bench) {
      assert.equal(await bench.backend.resolveCommit(bench.filled, 'both'), await commitOf(bench, 'main~4'));
    },
  },
  {
    name: 'forty hex digits resolve to the commit of that oid even if a branch or tag has that name; fewer resolve to a branch first',
    async run(bench) {
      const { backend } = bench;
      const repository = await fresh(bench);
      const folder = await imported(
        bench,
        repository,
        ['one', 'two']
          .map(
            (message, index) =>
              `commit refs/heads/main\ncommitter Ada <ada@example.org> ${1_700_000_000 + index} +0000\ndata ${message.length}\n${message}\n`,
          )
          .join(''),
      );
      const [first, second] = [await must(folder, ['rev-parse', 'main~1']), await must(folder, ['rev-parse', 'main'])];
      for (const ref of [
        `refs/heads/${first}`,
        `refs/tags/${first}`,
        `refs/heads/${first.slice(0, 10)}`,
        `refs/heads/${'e'.repeat(40)}`,
      ])
        await backend.moveRefs(repository, [{ ref, old: zeroOid, new: second }]);
      const expected: readonly (readonly [string, string])[] = [
        [first, first],
        [first.toUpperCase(), first],
        [`refs/heads/${first}`, second],
        [`refs/tags/${first}`, second],
        [first.slice(0, 10), second],
        [first.slice(0, 11), first],
        ['e'.repeat(40), second],
      ];
      for (const [revision, oid] of expected)
        assert.equal(await backend.resolveCommit(repository, revision), oid, revision);
    },
  },
  {
    name: 'text that names no commit or is not a legal name resolves to undefined',
    async run(bench) {
      const { backend, filled } = bench;
      const blob = await must(bench.source, ['rev-parse', 'main:alpha']);
      const absent = [
        '',
        'nothing',
        '-h',
        '--all',
        '--output=x',
        'main~1',
        'main^',
        'main:alpha',
        'main@{0}',
        '@',
        ':/Change',
        'main..side',
        'a b',
        'a\nb',
        'main\n',
        'refs/heads',
        'heads/main',
        'refs/heads/../../HEAD',
        '../config',
        'a\0b',
        'f'.repeat(40),
        'ffff',
        'fff',
        blob,
        'x'.repeat(5000),
      ];
      for (const revision of absent)
        assert.equal(await backend.resolveCommit(filled, revision), undefined, JSON.stringify(revision.slice(0, 50)));
    },
  },
  {
    name: 'an ambiguous abbreviated oid resolves to undefined, a longer one to its commit',
    async run(bench) {
      const oids = (await must(bench.source, ['rev-list', '--all'])).split('\n').toSorted();
      const shared = oids.find((oid, index) => oids[index + 1]?.slice(0, 4) === oid.slice(0, 4));
      assert.ok(shared !== undefined, 'the history has no two commits with the same first four digits');
      assert.equal(await bench.backend.resolveCommit(bench.filled, shared.slice(0, 4)), undefined);
      assert.equal(await bench.backend.resolveCommit(bench.filled, shared.slice(0, 20)), shared);
    },
  },
  {
    name: 'in an empty repository HEAD and the default branch resolve to undefined and there are no refs',
    async run(bench) {
      const id = await fresh(bench);
      assert.equal(await bench.backend.resolveCommit(id, 'HEAD'), undefined);
      assert.equal(await bench.backend.resolveCommit(id, 'main'), undefined);
      assert.deepEqual(await bench.backend.refs(id, 'all'), []);
    },
  },
  {
    name: 'HEAD follows the default branch, also to a branch that does not exist',
    async run(bench) {
      const { backend, filled } = bench;
      await backend.setDefaultBranch(filled, 'feature/ä');
      assert.equal(await backend.resolveCommit(filled, 'HEAD'), await commitOf(bench, 'feature/ä'));
      await backend.setDefaultBranch(filled, 'missing');
      assert.equal(await backend.resolveCommit(filled, 'HEAD'), undefined);
      await assert.rejects(backend.setDefaultBranch(filled, 'a\nb'), { name: 'ValidationFailed' });
      await backend.setDefaultBranch(filled, 'main');
      assert.equal(await backend.resolveCommit(filled, 'HEAD'), await commitOf(bench, 'main'));
    },
  },
  {
    name: 'a name is legal if git check-ref-format accepts it and it does not begin with a dash',
    async run({ backend, folder }) {
      const { git } = await import('./stock-git.ts');
      const names = [
        'main',
        'a/b',
        'ünï',
        'a.b',
        'a@b',
        'x.',
        'x.lock',
        'a.lock/b',
        '.a',
        'a/.b',
        'a..b',
        'a b',
        'a~b',
        'a^b',
        'a:b',
        'a?b',
        'a*b',
        'a[b',
        'a]b',
        'a\\b',
        'a@{b',
        '@',
        'a//b',
        '/a',
        'a/',
        '',
        'a\tb',
        'a\u007fb',
        'HEAD',
        'refs/heads/x',
        'refs/x',
        'refs',
        'a/refs/x',
        '{',
        'a./b',
        '-a',
        '-',
        'a/-b',
      ];
      for (const name of names) {
        const { code } = await git(folder, ['check-ref-format', `refs/heads/${name}`]);
        assert.equal(
          backend.isLegalName('branch', name),
          code === 0 && !/^(?:-|refs\/)/.test(name) && name !== 'HEAD',
          `branch ${JSON.stringify(name)}`,
        );
        assert.equal(
          backend.isLegalName('tag', name),
          code === 0 && !/^(?:-|refs\/)/.test(name),
          `tag ${JSON.stringify(name)}`,
        );
      }
      assert.equal(backend.isLegalName('branch', 'x'.repeat(5000)), false);
      assert.equal(backend.isLegalName('branch', 'a\ud800b'), false);
    },
  },
  {
    name: 'refs are sorted by name, and annotated tags have the commit they point to',
    async run(bench) {
      const { backend, filled, source } = bench;
      const listed = async (pattern: string): Promise<readonly object[]> =>
        (await must(source, ['for-each-ref', '--format=%(refname) %(objectname) %(objecttype)', pattern]))
          .split('\n')
          .map((line) => line.split(' '))
          .map(([name, oid, type]) => ({ name, oid, annotated: type === 'tag' }));
      for (const [kind, pattern] of [
        ['branches', 'refs/heads'],
        ['tags', 'refs/tags'],
        ['all', 'refs'],
      ] as const) {
        const refs = await backend.refs(filled, kind);
        assert.deepEqual(
          refs.map(({ name, oid, peeled }) => ({ name, oid, annotated: peeled !== undefined })),
          await listed(pattern),
          kind,
        );
      }
      const tag = (await backend.refs(filled, 'tags')).find(({ name }) => name === 'refs/tags/v1-again');
      assert.equal(tag?.peeled, await commitOf(bench, 'main~2'));
    },
  },
  {
    name: 'a tag of any kind has its commit or undefined, and names are sorted by bytes, before and after maintenance',
    async run(bench) {
      const { backend } = bench;
      const id = await fresh(bench);
      const folder = await client(bench, id);
      const [commit, tree, blob] = await Promise.all(
        ['main', 'main^{tree}', 'main:file'].map((name) => must(folder, ['rev-parse', name])),
      );
      const tag = async (name: string, target: string): Promise<string> => {
        await must(folder, ['tag', '-a', '-m', name, name, target]);
        return await must(folder, ['rev-parse', `refs/tags/${name}`]);
      };
      const once = await tag('once', 'main');
      const [twice, ofTree, ofBlob] = [
        await tag('twice', once),
        await tag('tree', 'main^{tree}'),
        await tag('blob', 'main:file'),
      ];
      const ofTreeAgain = await tag('tree-again', ofTree);
      for (const [name, target] of [
        ['light', 'main'],
        ['light-tree', 'main^{tree}'],
        ['light-blob', 'main:file'],
        ['\u{1F600}', 'main'],
        ['\uFF21', 'main'],
        ['ü', 'main'],
        ['once.1', 'main'],
        ['once-1', 'main'],
      ] as const)
        await must(folder, ['tag', name, target]);
      // Enough refs that maintenance packs them.
      for (let number = 10; number < 80; number += 1) await must(folder, ['update-ref', `refs/tags/z${number}`, once]);
      await must(folder, ['push', '-q', 'origin', 'main', '--tags']);
      const expected = [
        { name: 'refs/tags/blob', oid: ofBlob },
        { name: 'refs/tags/light', oid: commit },
        { name: 'refs/tags/light-blob', oid: blob },
        { name: 'refs/tags/light-tree', oid: tree },
        { name: 'refs/tags/once', oid: once, peeled: commit },
        { name: 'refs/tags/once-1', oid: commit },
        { name: 'refs/tags/once.1', oid: commit },
        { name: 'refs/tags/tree', oid: ofTree },
        { name: 'refs/tags/tree-again', oid: ofTreeAgain },
        { name: 'refs/tags/twice', oid: twice, peeled: commit },
        ...Array.from({ length: 70 }, (_, number) => ({
          name: `refs/tags/z${number + 10}`,
          oid: once,
          peeled: commit,
        })),
        { name: 'refs/tags/ü', oid: commit },
        { name: 'refs/tags/\uFF21', oid: commit },
        { name: 'refs/tags/\u{1F600}', oid: commit },
      ];
      assert.deepEqual(await backend.refs(id, 'tags'), expected);
      await backend.maintain(id);
      assert.deepEqual(await backend.refs(id, 'tags'), expected, 'after maintenance');
      await must(folder, ['push', '-q', 'origin', ':refs/tags/once', '+main:refs/tags/twice']);
      assert.deepEqual(
        await backend.refs(id, 'tags'),
        expected
          .filter(({ name }) => name !== 'refs/tags/once')
          .map((ref) => (ref.name === 'refs/tags/twice' ? { name: ref.name, oid: commit } : ref)),
        'one deleted, one moved',
      );
      assert.deepEqual(await backend.refs(id, 'branches'), [{ name: 'refs/heads/main', oid: commit }]);
    },
  },
  {
    name: 'a list of branches made during pushes and maintenance has every branch pushed before it',
    async run(bench) {
      const { backend } = bench;
      const id = await fresh(bench);
      const folder = await client(bench, id);
      const names = (batch: number): readonly string[] =>
        Array.from({ length: 70 }, (_, number) => `refs/heads/b${batch}/n${number}`);
      let [pushed, over] = [0, false];
      const missing: string[] = [];
      const list = async (): Promise<void> => {
        while (!over) {
          const before = Array.from({ length: pushed }, (_, batch) => names(batch)).flat();
          const found = new Set((await backend.refs(id, 'branches')).map(({ name }) => name));
          missing.push(...before.filter((name) => !found.has(name)));
        }
      };
      const push = async (): Promise<void> => {
        try {
          for (let batch = 0; batch < 4; batch += 1) {
            await must(folder, ['push', '-q', 'origin', ...names(batch).map((name) => `main:${name}`)]);
            pushed = batch + 1;
            await backend.maintain(id);
          }
        } finally {
          over = true;
        }
      };
      await Promise.all([push(), list(), list()]);
      assert.deepEqual(missing, []);
      assert.equal((await backend.refs(id, 'branches')).length, 4 * 70);
    },
  },
  {
    name: 'readRefs returns values in the order of the names, and zeros for missing or illegal names',
    async run(bench) {
      const names = ['refs/heads/side', 'refs/heads/absent', 'refs/heads/main', '../HEAD', 'refs/tags/v1'];
      assert.deepEqual(await bench.backend.readRefs(bench.filled, names), [
        await commitOf(bench, 'side'),
        zeroOid,
        await commitOf(bench, 'main'),
        zeroOid,
        await must(bench.source, ['rev-parse', 'refs/tags/v1']),
      ]);
      assert.deepEqual(await bench.backend.readRefs(bench.filled, []), []);
    },
  },
  {
    name: 'the root listing has every kind of entry in the order of git, with modes and sizes',
    async run(bench) {
      const { backend, filled, source } = bench;
      const main = await commitOf(bench, 'main');
      const root = await backend.entry(filled, main, '');
      assert.deepEqual(root, {
        name: '',
        type: 'directory',
        mode: '040000',
        oid: await must(source, ['rev-parse', 'main^{tree}']),
        size: 0,
      });
      const types: Record<string, string> = { '040000': 'directory', '120000': 'symlink', '160000': 'submodule' };
      const expected = (await must(source, ['ls-tree', '-z', '-l', 'main']))
        .split('\0')
        .filter((line) => line !== '')
        .map((line) => {
          const [, mode = '', oid, size, name] = /^(\d+) \w+ ([0-9a-f]+) +(-|\d+)\t(.*)$/s.exec(line) ?? [];
          return { name, type: types[mode] ?? 'file', mode, oid, size: Number(size === '-' ? 0 : size) };
        });
      assert.deepEqual(await backend.tree(filled, root?.oid ?? ''), { entries: expected, truncated: false });
      assert.ok(
        expected.some(({ name }) => name === latin) &&
          expected.some(({ name }) => name === 'line\nbreak') &&
          expected.some(({ mode }) => mode === '100755'),
      );
    },
  },
  {
    name: 'an entry is found by its path, for any name and kind',
    async run(bench) {
      const { backend, filled } = bench;
      const main = await commitOf(bench, 'main');
      const found = async (path: string): Promise<readonly unknown[]> => {
        const entry = await backend.entry(filled, main, path);
        return [entry?.name, entry?.type, entry?.mode, entry?.size];
      };
      assert.deepEqual(await found('src/deep/three'), ['three', 'file', '100644', 4]);
      assert.deepEqual(await found('src/deep'), ['deep', 'directory', '040000', 0]);
      assert.deepEqual(await found('with space/and more'), ['and more', 'file', '100644', 5]);
      assert.deepEqual(await found('line\nbreak'), ['line\nbreak', 'file', '100644', 5]);
      assert.deepEqual(await found('ünï cödé'), ['ünï cödé', 'file', '100644', 5]);
      assert.deepEqual(await found(latin), [latin, 'file', '100644', 5]);
      assert.deepEqual(await found('-dash'), ['-dash', 'file', '100755', 4]);
      assert.deepEqual(await found('link'), ['link', 'symlink', '120000', 5]);
      assert.deepEqual(await found('run.sh'), ['run.sh', 'file', '100755', 10]);
      assert.equal((await backend.entry(filled, main, 'module'))?.oid, submodule);
      assert.deepEqual(await found('module'), ['module', 'submodule', '160000', 0]);
    },
  },
  {
    name: 'paths with dot segments, empty segments or a file as folder return undefined',
    async run(bench) {
      const { backend, filled } = bench;
      const main = await commitOf(bench, 'main');
      for (const path of [
        'nothing',
        'src/',
        '/src',
        'src//one',
        '../src',
        'src/../alpha',
        '.',
        './alpha',
        '.git',
        '.GIT/config',
        'alpha/x',
        'link/x',
        'module/x',
        'alpha\0',
        '-h',
        'x'.repeat(10_000),
      ]) {
        assert.equal(await backend.entry(filled, main, path), undefined, JSON.stringify(path.slice(0, 40)));
      }
      for (const commit of [
        'f'.repeat(40),
        'main',
        '',
        await must(bench.source, ['rev-parse', 'main:alpha']),
        `${main}\n`,
      ])
        assert.equal(await backend.entry(filled, commit, 'alpha'), undefined, commit);
    },
  },
  {
    name: 'a blob has its exact bytes and size; an oid that is not a blob is NotFound',
    async run(bench) {
      const { backend, filled, source } = bench;
      const read = async (path: string): Promise<Buffer> => {
        const blob = await backend.blob(filled, await must(source, ['rev-parse', `main:${path}`]));
        const bytes = await bytesOf(blob.bytes);
        assert.equal(blob.size, bytes.length);
        return bytes;
      };
      assert.deepEqual(await read('binary.dat'), binary);
      assert.deepEqual(await read('empty'), Buffer.alloc(0));
      assert.deepEqual(await read('link'), Buffer.from('alpha'));
      for (const oid of [
        'f'.repeat(40),
        submodule,
        await must(source, ['rev-parse', 'main^{tree}']),
        await commitOf(bench, 'main'),
        'main:alpha',
        '',
      ])
        await assert.rejects(backend.blob(filled, oid), NotFound, oid);
      await assert.rejects(backend.tree(filled, await must(source, ['rev-parse', 'main:alpha'])), NotFound);
    },
  },
  {
    name: 'an object of one repository is not found in another',
    async run(bench) {
      const { backend, filled } = bench;
      const main = await commitOf(bench, 'main');
      const root = await backend.entry(filled, main, '');
      await backend.tree(filled, root?.oid ?? '');
      const other = await fresh(bench);
      assert.equal(await backend.entry(other, main, ''), undefined);
      assert.equal(await backend.resolveCommit(other, main), undefined);
      await assert.rejects(backend.tree(other, root?.oid ?? ''), NotFound);
      assert.equal((await backend.lastCommits(other, main, '')).size, 0);
    },
  },
  ...['main', 'side', 'other'].map((branch): Check<Bench> => ({
    name: `the last commit of every entry of "${branch}" is the one git log names`,
    async run(bench) {
      const { backend, filled, source } = bench;
      const commit = await commitOf(bench, branch);
      let compared = 0;
      for (const folder of ['', 'src', 'src/deep', 'with space']) {
        const answers = await backend.lastCommits(filled, commit, folder);
        const names = await namesIn(bench, commit, folder).catch(() => []);
        assert.equal(answers.size, names.length, folder);
        for (const name of names.filter((each) => each !== latin)) {
          const said = await must(source, [
            'log',
            '-1',
            '--format=%H %ct %s',
            commit,
            '--',
            `:(literal)${folder === '' ? name : `${folder}/${name}`}`,
          ]);
          const answer = answers.get(name);
          assert.equal(
            `${answer?.oid} ${(answer?.committedAt.getTime() ?? 0) / 1000} ${answer?.subject}`,
            said,
            `${folder}/${name}`,
          );
          compared += 1;
        }
      }
      assert.ok(compared > 8);
      if (branch === 'main')
        assert.equal((await backend.lastCommits(filled, commit, '')).get(latin)?.subject, 'Add odd names');
    },
  })),
  {
    name: 'last commits of a missing folder or commit are an empty map, also for two concurrent requests',
    async run(bench) {
      const { backend, filled } = bench;
      const main = await commitOf(bench, 'main');
      for (const [commit, path] of [
        [main, 'alpha'],
        [main, 'nothing'],
        [main, '../x'],
        ['f'.repeat(40), ''],
        ['main', ''],
      ] as const)
        assert.equal((await backend.lastCommits(filled, commit, path)).size, 0, path);
      const parent = await commitOf(bench, 'main~3');
      const [one, two] = await Promise.all([
        backend.lastCommits(filled, parent, ''),
        backend.lastCommits(filled, parent, ''),
      ]);
      assert.ok(one.size > 5);
      assert.deepEqual(one, two);
    },
  },
  {
    name: 'a request whose signal is already aborted is rejected',
    async run(bench) {
      const gone = AbortSignal.abort(new Error('gone'));
      const main = await commitOf(bench, 'main');
      await assert.rejects(bench.backend.lastCommits(bench.filled, main, '', gone), /gone/);
      await assert.rejects(
        bench.backend.blob(bench.filled, await must(bench.source, ['rev-parse', 'main:alpha']), gone),
        /gone/,
      );
    },
  },
  {
    name: 'a hundred concurrent reads all return the entry',
    async run(bench) {
      const main = await commitOf(bench, 'main');
      const expected = await bench.backend.entry(bench.filled, main, 'src/one');
      const answers = await Promise.all(
        Array.from({ length: 100 }, async () => await bench.backend.entry(bench.filled, main, 'src/one')),
      );
      for (const answer of answers) assert.deepEqual(answer, expected);
    },
  },
  {
    name: 'reads of an unknown repository are NotFound',
    async run({ backend }) {
      const id = newId();
      await assert.rejects(backend.resolveCommit(id, 'main'), NotFound);
      await assert.rejects(backend.refs(id, 'all'), NotFound);
      await backend.maintain(id);
    },
  },
];
