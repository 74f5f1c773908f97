// Checks of history: pages of commits, single commits, differences, merge bases, blame, archives and sizes, each
// compared with the output of stock git.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import type { FileChange } from '#core/repositories/git/git-history';
import { longest } from '#core/repositories/git/clipping';
import { mostEntries } from '#core/repositories/git/git-backend';
import type { Check } from '../checks.ts';
import { bytesOf, client, fresh, imported, never, type Bench } from './provider.ts';
import { git, must } from './stock-git.ts';

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const oidsOf = async (folder: string, args: readonly string[]): Promise<readonly string[]> =>
  (await must(folder, ['rev-list', ...args])).split('\n').filter((line) => line !== '');
const whole = { skip: 0, limit: 1000 };

/** The changes as git lists them: status, line counts and names. */
async function changes(folder: string, from: string, to: string): Promise<readonly string[]> {
  const names = (await must(folder, ['diff-tree', '-r', '-M', '-z', '--name-status', from, to])).split('\0');
  const counts = (await must(folder, ['diff-tree', '-r', '-M', '--numstat', from, to]))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t').slice(0, 2).join(' '));
  const listed: string[] = [];
  for (let at = 0; at + 1 < names.length;) {
    const letter = names[at]?.[0] ?? '';
    const took = letter === 'R' ? 3 : 2;
    listed.push([letter, counts[listed.length], ...names.slice(at + 1, at + took)].join(' '));
    at += took;
  }
  return listed;
}

const letters: Readonly<Record<FileChange['status'], string>> = {
  added: 'A',
  modified: 'M',
  removed: 'D',
  renamed: 'R',
};
const told = ({ status, isBinary, additions, deletions, path, previousPath }: FileChange): string =>
  [
    letters[status],
    isBinary ? '- -' : `${additions} ${deletions}`,
    ...(previousPath === undefined ? [] : [previousPath]),
    path,
  ].join(' ');

export const commitChecks: readonly Check<Bench>[] = [
  {
    name: 'a history has the commits of rev-list in its order, by path, author, time, range and page',
    async run({ backend, filled, source }) {
      const tip = await must(source, ['rev-parse', 'main']);
      const side = await must(source, ['rev-parse', 'side']);
      const at = Number(await must(source, ['log', '-1', '--format=%ct', 'main~20']));
      const history = async (query: object): Promise<readonly string[]> =>
        (await backend.history(filled, { tip, ...whole, ...query })).map(({ oid }) => oid);
      assert.deepEqual(await history({}), await oidsOf(source, [tip]));
      for (const path of [
        'alpha',
        'src',
        'src/deep/three',
        'ünï cödé',
        'with space/and more',
        'line\nbreak',
        '-dash',
        'module',
        'link',
        'absent',
        'src/',
      ]) {
        // A path that ends in a slash matches nothing.
        assert.deepEqual(
          await history({ path }),
          path === 'src/' ? [] : await oidsOf(source, [tip, '--', path]),
          JSON.stringify(path),
        );
      }
      for (const path of ['*', ':(top)alpha', ':/', '../alpha', '.git', '--all'])
        assert.deepEqual(await history({ path }), [], path);
      for (const author of ['Ada', '.*', 'ada@example.org', '--all', '-n1'])
        assert.deepEqual(
          await history({ author }),
          await oidsOf(source, [tip, '--fixed-strings', `--author=${author}`]),
          author,
        );
      assert.deepEqual(await history({ since: new Date(at * 1000) }), await oidsOf(source, [`--max-age=${at}`, tip]));
      assert.deepEqual(await history({ until: new Date(at * 1000) }), await oidsOf(source, [`--min-age=${at}`, tip]));
      assert.deepEqual(await history({ since: new Date(-1) }), await oidsOf(source, [tip]), 'before the epoch');
      assert.deepEqual(await history({ except: side }), await oidsOf(source, [tip, `^${side}`]));
      assert.deepEqual(await history({ skip: 5, limit: 3 }), (await oidsOf(source, [tip])).slice(5, 8));
      assert.deepEqual(await history({ skip: 2 ** 40 }), []);
      assert.deepEqual(
        await history({ path: 'alpha' }),
        await oidsOf(source, [tip, '--', 'alpha']),
        'again, from the cache',
      );
    },
  },
  {
    name: 'a commit reads back unchanged: message, signatures in their encoding, parents',
    async run(bench) {
      const { backend, filled, source } = bench;
      for (const oid of (await oidsOf(source, ['main'])).slice(0, 40)) {
        const record = await backend.commitRecord(filled, oid);
        const [parents, name, email, authored, committer, committed] = (
          await must(source, ['log', '-1', '--format=%P%n%an%n%ae%n%at%n%cn%n%ct', oid])
        ).split('\n');
        assert.deepEqual(
          [
            record?.parents.join(' '),
            record?.author.name,
            record?.author.email,
            Number(record?.author.date) / 1000,
            record?.committer.name,
            Number(record?.committer.date) / 1000,
          ],
          [parents, name, email, Number(authored), committer, Number(committed)],
        );
        assert.equal(record?.message, await must(source, ['log', '-1', '--format=%B', oid]));
      }
      for (const oid of [
        await must(source, ['rev-parse', 'main:alpha']),
        await must(source, ['rev-parse', 'v1']),
        'f'.repeat(40),
        'main',
        '',
      ])
        assert.equal(await backend.commitRecord(filled, oid), undefined, oid);
      const repository = await fresh(bench);
      const folder = await client(bench, repository, ['one']);
      await must(folder, ['-c', 'i18n.commitEncoding=ISO-8859-1', 'commit', '-q', '--allow-empty', '-F', '-'], {
        input: Buffer.from('Gr\xfc\xdfe\n\nund mehr\n', 'latin1'),
      });
      await must(folder, ['commit', '-q', '--allow-empty', '-F', '-'], { input: `Long\n\n${'x'.repeat(400_000)}\n` });
      await must(folder, ['push', '-q', 'origin', 'main']);
      const [long, latin] = await backend.history(repository, {
        tip: await must(folder, ['rev-parse', 'HEAD']),
        skip: 0,
        limit: 2,
      });
      assert.equal(latin?.message, 'Grüße\n\nund mehr');
      assert.equal(long?.message.length, 64 * 1024, 'the rest is omitted');
      assert.deepEqual(long?.parents, [latin?.oid]);
    },
  },
  {
    name: 'a difference lists every file with its line counts, from a commit and from the empty tree',
    async run({ backend, filled, source }) {
      const pairs = [
        ['main~4', 'main'],
        ['main~1', 'main'],
        ['main', 'main~6'],
        ['main', 'noise'],
        ['noise', 'main'],
        [emptyTree, 'main'],
        ['main', 'main'],
      ] as const;
      for (const [from, to] of pairs) {
        const [a, b] = [
          from === emptyTree ? emptyTree : await must(source, ['rev-parse', `${from}^{commit}`]),
          await must(source, ['rev-parse', `${to}^{commit}`]),
        ];
        const difference = await backend.difference(filled, a === emptyTree ? undefined : a, b);
        assert.deepEqual(difference.files.map(told), await changes(source, a, b), `${from} ${to}`);
        assert.equal(
          difference.additions,
          difference.files.reduce((sum, { additions }) => sum + additions, 0),
        );
        assert.equal(
          difference.deletions,
          difference.files.reduce((sum, { deletions }) => sum + deletions, 0),
        );
        // Together the patches have as many hunks as the output of git.
        const printed = (await must(source, ['diff-tree', '-r', '-M', '-p', '--full-index', a, b]))
          .split('\n')
          .filter((line) => line.startsWith('@@ ')).length;
        assert.equal(
          difference.files.reduce(
            (sum, { patch = '' }) => sum + patch.split('\n').filter((line) => line.startsWith('@@ ')).length,
            0,
          ),
          printed,
          `${from} ${to}`,
        );
      }
    },
  },
  {
    name: 'a difference has at most 3000 files and bounded patches, and counts all files',
    async run(bench) {
      const repository = await fresh(bench);
      const small = Array.from(
        { length: 3100 },
        (_, index) => `M 100644 inline f${String(index).padStart(5, '0')}\ndata 2\nx\n\n`,
      ).join('');
      const large = 'diff --git a/x b/x\n'.repeat(10_000);
      const folder = await imported(
        bench,
        repository,
        `commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata 0\nM 100644 inline a\ndata ${large.length}\n${large}\nM 100644 inline b\ndata 19\ndiff --git a/x b/x\n\n${small}`,
      );
      const difference = await bench.backend.difference(
        repository,
        undefined,
        await must(folder, ['rev-parse', 'main']),
      );
      assert.equal(difference.files.length, 3000);
      assert.equal(difference.additions, 10_001 + 3100);
      const [a, b, f] = difference.files;
      assert.deepEqual([a?.path, a?.patch, a?.additions], ['a', undefined, 10_000], 'too long to be shown');
      assert.deepEqual(
        [b?.path, b?.patch],
        ['b', '@@ -0,0 +1 @@\n+diff --git a/x b/x'],
        'content that looks like a header',
      );
      assert.deepEqual([f?.path, f?.patch], ['f00000', '@@ -0,0 +1 @@\n+x']);
    },
  },
  {
    name: 'the patches of a difference have at most 512 KiB together, and files past that are still counted',
    async run(bench) {
      const repository = await fresh(bench);
      const text = `${'x'.repeat(99)}\n`.repeat(1000);
      const files = Array.from(
        { length: 15 },
        (_, index) => `M 100644 inline f${String(index).padStart(2, '0')}\ndata ${text.length}\n${text}\n`,
      ).join('');
      const folder = await imported(
        bench,
        repository,
        `commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata 0\n${files}`,
      );
      const difference = await bench.backend.difference(
        repository,
        undefined,
        await must(folder, ['rev-parse', 'main']),
      );
      assert.deepEqual(
        difference.files.map(({ additions }) => additions),
        Array.from({ length: 15 }, () => 1000),
      );
      const shown = difference.files.map(({ patch }) => patch?.length ?? 0);
      assert.deepEqual(
        shown,
        shown.toSorted((one, other) => other - one),
        'the first of them',
      );
      const total = shown.reduce((sum, length) => sum + length, 0);
      assert.ok(total > 400_000 && total <= 512 * 1024, String(total));
    },
  },
  {
    name: 'the merge base of two commits is the one git names, and undefined for unrelated histories',
    async run({ backend, filled, source }) {
      for (const [one, other] of [
        ['main', 'side'],
        ['main~3', 'other'],
        ['main', 'main~7'],
        ['main', 'main'],
      ] as const) {
        const [a, b] = [await must(source, ['rev-parse', one]), await must(source, ['rev-parse', other])];
        assert.equal(
          await backend.mergeBase(filled, a, b),
          await must(source, ['merge-base', one, other]),
          `${one} ${other}`,
        );
      }
      assert.equal(
        await backend.mergeBase(
          filled,
          await must(source, ['rev-parse', 'main']),
          await must(source, ['rev-parse', 'noise']),
        ),
        undefined,
      );
    },
  },
  {
    name: 'blame gives every line the same commit and author as git',
    async run({ backend, filled, source }) {
      const tip = await must(source, ['rev-parse', 'main']);
      for (const path of ['alpha', 'src/deep/three', 'ünï cödé', 'line\nbreak', '-dash', 'run.sh', 'empty', 'link']) {
        const lines = (await must(source, ['blame', '--line-porcelain', tip, '--', path])).split('\n');
        const expected = lines.filter((line) => /^[0-9a-f]{40} \d+ \d+/.test(line)).map((line) => line.slice(0, 40));
        const blamed = await backend.blame(filled, tip, path);
        assert.deepEqual(
          blamed?.map(({ oid }) => oid),
          expected,
          path,
        );
        assert.deepEqual(
          blamed?.map(({ content }) => content),
          lines.filter((line) => line.startsWith('\t')).map((line) => line.slice(1)),
          path,
        );
        assert.deepEqual(
          blamed?.map(({ author }) => `author-time ${author.date.getTime() / 1000}`),
          lines.filter((line) => line.startsWith('author-time ')),
          path,
        );
      }
      for (const path of ['absent', '', '../alpha', '.git', 'src//one', 'src'])
        assert.equal(await backend.blame(filled, tip, path), undefined, path);
    },
  },
  {
    name: 'no text is longer than its bound, no folder is listed past its bound, and paths that are too long are left out',
    async run(bench) {
      const { backend } = bench;
      const repository = await fresh(bench);
      const [name, email, subject] = ['N'.repeat(2000), 'e'.repeat(2000), 's'.repeat(5000)];
      const message = `${subject}\n\n${'b'.repeat(100_000)}`;
      const person = (role: string): string => `${role} ${name} <${email}> 1700000000 +0000\n`;
      const many = Array.from({ length: 10_001 }, (_, index) => `M 100644 :1 many/${100_000 + index}\n`).join('');
      const folder = await imported(
        bench,
        repository,
        `blob\nmark :1\ndata 2\nx\n\ncommit refs/heads/main\n${person('author')}${person('committer')}data ${message.length}\n${message}\nM 100644 :1 file\nM 100644 :1 ${'d/'.repeat(2500)}file\n${many}`,
      );
      const tip = await must(folder, ['rev-parse', 'HEAD']);
      const record = await backend.commitRecord(repository, tip);
      assert.deepEqual(
        [record?.author.name.length, record?.committer.email.length, record?.message.length],
        [longest.name, longest.email, longest.message],
      );
      const [line] = (await backend.blame(repository, tip, 'file')) ?? [];
      const last = (await backend.lastCommits(repository, tip, '')).get('file');
      const summary = (await backend.tips(repository, [tip])).get(tip);
      for (const [text, bound] of [
        [record?.message, longest.message],
        [line?.author.name, longest.name],
        [line?.author.email, longest.email],
        [last?.subject, longest.subject],
        [summary?.kind === 'commit' ? summary.subject : '', longest.subject],
        [summary?.kind === 'commit' ? summary.author : '', longest.name],
      ] as const)
        assert.deepEqual([text?.length, text?.endsWith('…')], [bound, true]);
      const listed = await backend.entry(repository, tip, 'many');
      const { entries, truncated } = await backend.tree(repository, listed?.oid ?? '');
      assert.deepEqual([entries.length, truncated, entries.at(-1)?.name], [mostEntries, true, '109999']);
      assert.equal((await backend.lastCommits(repository, tip, 'many')).size, mostEntries);
      assert.equal((await backend.entry(repository, tip, 'many/110000'))?.type, 'file');
      const difference = await backend.difference(repository, undefined, tip);
      assert.equal(difference.additions, 10_003);
      assert.equal(difference.truncated, true);
      assert.equal(
        difference.files.find(({ path }) => path.startsWith('d/')),
        undefined,
      );
    },
  },
  {
    name: 'an archive equals the one of git, and its process ends when the reader stops',
    async run(bench) {
      const { backend, filled, source } = bench;
      const tip = await must(source, ['rev-parse', 'main']);
      const { stdout: expected } = await git(source, ['archive', '--format=tar', '--prefix=x-y/', tip]);
      const packed = await bytesOf(await backend.archive(filled, tip, { format: 'tar.gz', prefix: 'x-y/' }));
      assert.equal(gunzipSync(packed).toString('utf8'), expected);
      assert.equal(
        (await bytesOf(await backend.archive(filled, tip, { format: 'zip', prefix: 'x-y/' }))).toString('latin1', 0, 4),
        'PK\x03\x04',
      );
      const left = (await backend.archive(filled, tip, { format: 'tar.gz', prefix: 'x/' }))[Symbol.asyncIterator]();
      await left.next();
      await left.return?.();
      assert.deepEqual(await bench.traces(), []);
      const gone = new AbortController();
      gone.abort(new Error('the client went away'));
      await assert.rejects(backend.archive(filled, tip, { format: 'zip', prefix: '' }, gone.signal), /went away/);
    },
  },
  {
    name: 'an archive with a path that is too long is rejected',
    async run(bench) {
      const archives = async (path: string): Promise<readonly (() => Promise<AsyncIterable<Uint8Array>>)[]> => {
        const repository = await fresh(bench);
        const inline = (name: string): string => `M 100644 inline ${name}\ndata 1\nx\n`;
        const folder = await imported(
          bench,
          repository,
          `commit refs/heads/main\ncommitter a <a@b> 1700000000 +0000\ndata 1\nx\n${inline('a')}${inline(path)}`,
        );
        const tip = await must(folder, ['rev-parse', 'HEAD']);
        return (['zip', 'tar.gz'] as const).map(
          (format) => () => bench.backend.archive(repository, tip, { format, prefix: 'x/' }),
        );
      };
      const long = `${'d/'.repeat(longest.path / 2 - 1)}dd`;
      for (const archive of await archives(long)) assert.ok((await bytesOf(await archive())).length > 0);
      for (const archive of await archives(`${long}d`))
        await assert.rejects(archive, { kind: 'unprocessable', message: /a path in it is too long/ });
    },
  },
  {
    name: 'sizes are the sums of the file sizes of a commit, without links and submodules',
    async run({ backend, filled, source }) {
      const tip = await must(source, ['rev-parse', 'main']);
      const expected = (await must(source, ['ls-tree', '-r', '-l', tip]))
        .split('\n')
        .flatMap((line) => /^100\d+ blob \S+ +(\d+)/.exec(line)?.[1] ?? [])
        .reduce((sum, size) => sum + Number(size), 0);
      assert.deepEqual(await backend.sizes(filled, tip, () => 'all'), new Map([['all', expected]]));
      assert.deepEqual(
        await backend.sizes(filled, tip, (path) => (path === 'binary.dat' ? path : '')),
        new Map([['binary.dat', 3000]]),
      );
    },
  },
  {
    name: 'a reader that aborts is rejected at once, and another reader of the same answer still receives it',
    async run({ backend, filled, source }) {
      const tip = await must(source, ['rev-parse', 'noise~3']);
      const leaving = new AbortController();
      const first = backend.history(filled, { tip, ...whole }, leaving.signal);
      const second = backend.history(filled, { tip, ...whole }, never);
      leaving.abort(new Error('the client went away'));
      await assert.rejects(first, /went away/);
      assert.equal((await second).length, 597);
    },
  },
];
