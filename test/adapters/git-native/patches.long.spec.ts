// Diffs for display in the native adapter: output in any pieces, hostile repositories, git configuration and limits.
import { Buffer } from 'node:buffer';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { base85 } from '#adapters/git-common/diffs/base85';
import { PatchReader } from '#adapters/git-native/diffs/patch-reader';
import type { GitLimits } from '#adapters/git-native/index';
import type { DiffCaps, PatchQuery } from '#core/repositories/git/git-backend';
import { data, latinName, line, write } from '#test/contracts/git/history';
import { git, must } from '#test/contracts/git/stock-git';
import { temporaryFolder } from '#test/support/folder';
import { notingGit, pushable } from './provider.ts';

const [KiB, MiB] = [1024, 1024 ** 2];
const caps: DiffCaps = { maxFileBytes: 512 * KiB, maxTotalBytes: 4 * MiB, maxFileLines: 20_000, maxFiles: 1000 };
const zeros = '0'.repeat(40);
const blob = 'b'.repeat(40);

const printed = Buffer.concat([
  Buffer.from(
    [
      `:100644 100644 ${zeros} ${zeros} R083`,
      'old\tname',
      'new\nname',
      `:100644 120000 ${zeros} ${zeros} T`,
      'typed',
      `:100644 100644 ${zeros} ${zeros} M`,
      'latin',
      `:000000 100644 ${zeros} ${zeros} A`,
      'ünï',
      '1\t2\t',
      'old\tname',
      'new\nname',
      '1\t1\ttyped',
      '1\t1\tlatin',
      '-\t-\tünï',
      '',
      '',
    ].join('\0'),
  ),
  Buffer.from('diff --git a/x b/y\nsimilarity index 83%\n--- a/x\n+++ b/y\n@@ -1 +1,2 @@ ä'),
  Buffer.from([0xc3]),
  Buffer.from('\n-a\r\n+diff --git a b\n\\ No newline at end of file\n'),
  Buffer.from('diff --git a/typed b/typed\ndeleted file mode 100644\n--- a/typed\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n'),
  Buffer.from('diff --git a/typed b/typed\nnew file mode 120000\n--- /dev/null\n+++ b/typed\n@@ -0,0 +1 @@\n+g\n'),
  Buffer.from(`diff --git a/l b/l\nindex ${zeros}..${blob} 100644\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-e\n+`),
  Buffer.from([0xe9, 0x0a]),
  Buffer.from(
    `diff --git a/u b/u\nnew file mode 100644\nindex ${zeros}..${blob}\nBinary files /dev/null and b/u differ\n`,
  ),
]);

void t.test('a diff is parsed the same in pieces of any length', (t) => {
  const expected = [
    [
      'new\nname',
      {
        header: 'diff --git a/x b/y\nsimilarity index 83%\n--- a/x\n+++ b/y\n',
        hunks: '@@ -1 +1,2 @@ ä\uFFFD\n-a\r\n+diff --git a b\n\\ No newline at end of file\n',
      },
    ],
    [
      'typed',
      {
        header: 'diff --git a/typed b/typed\ndeleted file mode 100644\n--- a/typed\n+++ /dev/null\n',
        hunks: '@@ -1 +0,0 @@\n-x\n',
      },
      {
        header: 'diff --git a/typed b/typed\nnew file mode 120000\n--- /dev/null\n+++ b/typed\n',
        hunks: '@@ -0,0 +1 @@\n+g\n',
      },
    ],
    [
      'latin',
      { header: `diff --git a/l b/l\nindex ${zeros}..${blob} 100644\n`, hunks: '@@ -1 +1 @@\n-e\n+\uFFFD\n', blob },
    ],
    ['ünï', { header: `diff --git a/u b/u\nnew file mode 100644\nindex ${zeros}..${blob}\n`, hunks: '', blob }],
  ];
  for (const length of [1, 2, 7, 64, printed.length]) {
    const reader = new PatchReader(caps);
    for (let at = 0; at < printed.length; at += length)
      if (!reader.take(printed.subarray(at, at + length))) t.fail(`the reader stopped at ${at}`);
    reader.end();
    t.same(
      reader.files.map(({ listed, sections }) => [listed.path, ...sections]),
      expected,
      `pieces of ${length}`,
    );
    t.same([reader.additions, reader.deletions, reader.omitted], [3, 4, undefined]);
  }
  t.end();
});

void t.test('base 85 equals that of git', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hexforge-base85-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await must(folder, ['init', '-q', '.']);
  for (const length of [1, 3, 4, 26, 27, 52, 53, 200]) {
    // Incompressible content: git stores it, so the lines show the boundaries of each length.
    const content = Buffer.from(Array.from({ length }, (_, index) => (index * 151 + length) % 256));
    content[0] = 0;
    await writeFile(join(folder, 'file'), content);
    await must(folder, ['add', 'file']);
    const shown = await must(folder, ['diff', '--cached', '--binary']);
    const [, deflated = ''] = /literal \d+\n([^]*?)\n\n/.exec(shown) ?? [];
    const bytes = decoded(deflated);
    t.equal(base85(bytes), `${deflated}\n`, `${length} bytes`);
  }
});

/** The inverse, with integers. */
function decoded(text: string): Buffer {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
  return Buffer.concat(
    text.split('\n').map((row) => {
      const code = row.charCodeAt(0);
      const out: number[] = [];
      for (const group of row.slice(1).match(/.{5}/g) ?? []) {
        const value = [...group].reduce((sum, digit) => sum * 85n + BigInt(digits.indexOf(digit)), 0n);
        out.push(...[24n, 16n, 8n, 0n].map((shift) => Number((value >> shift) & 255n)));
      }
      return Buffer.from(out.slice(0, code <= 0x5a ? code - 0x40 : code - 0x60 + 26));
    }),
  );
}

const repository = '0d000000-0000-4000-8000-000000000001';

async function world(t: Test, limits: Partial<GitLimits> = {}) {
  const folder = await temporaryFolder(t);
  const { gitPath, started } = await notingGit(folder);
  const { native, directory, client, url } = await pushable(t, folder, repository, { gitPath, limits });
  /** Pushes a branch of files. */
  const pushed = async (branch: string, files: readonly Buffer[]): Promise<string> => {
    const head = `commit refs/heads/${branch}\ncommitter Ada <ada@example.org> 1700000000 +0000`;
    const input = Buffer.concat([line(head), data(branch), ...files]);
    const { code, stderr } = await git(client, ['fast-import', '--quiet', '--date-format=raw'], { input });
    if (code !== 0) throw new Error(stderr);
    await must(client, ['push', '-q', url, branch]);
    return await must(client, ['rev-parse', branch]);
  };
  return {
    native,
    pushed,
    directory,
    diffs: async () => (await started()).filter((command) => command.includes(' diff-tree ')),
  };
}

void t.test('diffs of a repository', { timeout: 120_000 }, async (t) => {
  // Speed does not matter here.
  const { native, pushed, directory, diffs } = await world(t, { computeSeconds: 60 });
  const from = await pushed('main', write('file', 'one\n\ntwo\nthree\nfour\nfive\n'));
  const to = await pushed('to', [...write('file', 'one\n\ntwo\nthree\nfour\nsix\n'), ...write('ünï', 'x\n')].flat());
  const query: PatchQuery = { from, to, algorithm: 'myers' };

  await t.test('concurrent and later requests share one answer of one process', async (t) => {
    const [one, ...others] = await Promise.all([1, 2, 3].map(() => native.patch(repository, query, caps)));
    for (const other of [...others, await native.patch(repository, query, caps)]) t.equal(other, one);
    t.equal((await diffs()).length, 1);
    t.not(await native.patch(repository, { ...query, algorithm: 'histogram' }, caps), one);
    t.not(await native.patch(repository, query, { ...caps, maxFiles: 999 }), one);
    t.equal((await diffs()).length, 3);
  });

  await t.test('a name that is not UTF-8 has its bytes replaced, and is complete in the header', async (t) => {
    const tip = await pushed('latin', write(latinName, 'x\n'));
    const patch = await native.patch(repository, { ...query, to: tip }, caps);
    t.same(
      patch.files.map(({ newPath, sections }) => [newPath, sections[0]?.header.split('\n', 1)[0]]),
      [
        ['caf\uFFFD.txt', 'diff --git "a/caf\\351.txt" "b/caf\\351.txt"'],
        ['file', 'diff --git a/file b/file'],
      ],
    );
  });

  await t.test('names that end in a tab or look like counts are parsed', async (t) => {
    for (const [index, name] of ['aa\t', 'zz\t', '1\t2\t', ':aa', 'a\nb\t', ' => '].entries()) {
      const tip = await pushed(`tab-${index}`, [...write('file', 'x\n'), ...write(name, 'x\ny\n')].flat());
      const patch = await native.patch(repository, { ...query, to: tip }, caps);
      t.same(
        new Map(patch.files.map((file) => [file.newPath, [file.additions, file.sections.length]])),
        new Map([
          ['file', [1, 1]],
          [name, [2, 1]],
        ]),
        JSON.stringify(name),
      );
    }
  });

  await t.test('git configuration and attributes of the repository do not change a diff', async (t) => {
    const before = await native.patch(repository, query, caps);
    for (const [key, value] of Object.entries({
      'diff.noprefix': 'true',
      'diff.mnemonicPrefix': 'true',
      'diff.context': '0',
      'diff.interHunkContext': '9',
      'diff.renames': 'false',
      'diff.suppressBlankEmpty': 'true',
      'diff.algorithm': 'minimal',
      'diff.external': 'false',
      'diff.submodule': 'log',
      'diff.orderFile': '/etc/passwd',
      'color.diff': 'always',
      'color.ui': 'always',
      'core.quotePath': 'false',
      'core.abbrev': '5',
    }))
      await must(directory, ['config', key, value]);
    const attributes = await pushed('attributes', [
      ...write('.gitattributes', '* -diff\n'),
      ...write('file', 'one\n\ntwo\nthree\nfour\nsix\n'),
      ...write('ünï', 'x\n'),
    ]);
    const after = await native.patch(repository, { ...query, to: attributes }, caps);
    t.same(
      after.files.filter(({ newPath }) => newPath !== '.gitattributes'),
      before.files,
    );
  });

  await t.test('for 20,000 files only the list is read', async (t) => {
    const many = Array.from({ length: 20_000 }, (_, index) => write(`d/${index}`, `${index}\n`)).flat();
    const tip = await pushed('many', many);
    const patch = await native.patch(repository, { ...query, to: tip }, caps);
    t.same(
      [patch.omitted, patch.files.length, patch.additions, patch.deletions],
      ['file_count_cap', 20_000, 20_000, 6],
      'listed up to the bound, counted beyond it',
    );
    t.ok(patch.files.every(({ sections }) => sections.length === 0));
  });

  await t.test('megabyte lines and files that unpack to many bytes are omitted', async (t) => {
    const tip = await pushed('large', [
      ...write('a', 'small\n'),
      ...write('b', `${'x'.repeat(15 * MiB)}\n`),
      ...write('c', 'y'.repeat(50 * MiB)),
      ...write('d', Buffer.alloc(15 * MiB)),
      ...write('e', 'small\n'),
    ]);
    const patch = await native.patch(repository, { ...query, to: tip }, caps);
    t.same(
      [patch.omitted, ...patch.files.map((file) => [file.newPath, file.isBinary, file.omitted])],
      [
        'diff_too_large',
        ['a', false, undefined],
        ['b', false, 'diff_too_large'],
        ['c', true, undefined],
        ['d', true, undefined],
        ['e', false, undefined],
        ['file', false, undefined],
      ],
    );
    const whole = await native.patch(repository, { ...query, to: tip, paths: ['a', 'd'] }, caps);
    t.same([whole.omitted, whole.files.length], ['diff_too_large', 2], 'a binary file over the limit of one file');
  });

  await t.test('git is stopped when its output is many times the limit', async (t) => {
    const tip = await pushed(
      'endless',
      Array.from({ length: 5 }, (_, index) => write(`e${index}`, `${String(index).repeat(4 * MiB)}\n`)).flat(),
    );
    const patch = await native.patch(repository, { ...query, to: tip }, { ...caps, maxTotalBytes: MiB });
    t.equal(patch.omitted, 'total_size_cap');
    t.equal(patch.additions, 5, 'all lines are counted');
  });
});

void t.test('a diff that takes too long is rejected, and at once when it is requested again', async (t) => {
  const { native, pushed, diffs } = await world(t, { computeSeconds: 1 });
  const from = await pushed('main', write('file', 'x\n'));
  const to = await pushed('to', write('file', `${'\n'.repeat(15 * MiB)}`));
  const ask = () => native.patch(repository, { from, to, algorithm: 'myers' }, caps);
  await t.rejects(ask(), { name: 'Unprocessable', message: 'The commits are too far apart to be compared' });
  await t.rejects(ask(), { name: 'Unprocessable' });
  t.equal((await diffs()).length, 1);
});
