// Checks of diffs for display: compared with stock `git diff` of the same commits, applied as patches, and at their
// caps.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { hunksOf } from '#core/repositories/git/hunks';
import { diffAlgorithms, type DiffCaps, type Patch, type PatchedFile } from '#core/repositories/git/git-backend';
import type { Check } from '../../checks.ts';
import { readDiff } from './diff-reader.ts';
import { generatedChange, type Change } from './generated-changes.ts';
import { changed, ends } from './pairs.ts';
import { client, type Bench } from '../provider.ts';
import { git, must } from '../stock-git.ts';

const MiB = 1024 ** 2;
const wide: DiffCaps = { maxFileBytes: 4 * MiB, maxTotalBytes: 32 * MiB, maxFileLines: 100_000, maxFiles: 3000 };
/** The number of generated pairs of trees; a full run compares 300. */
const pairs = Number(process.env['HEXFORGE_TEST_DIFFS'] ?? 20);

const file = (content: string | Buffer, mode = '100644') => ({ mode, content: Buffer.from(content) });

const textOf = ({ files }: Patch): string =>
  files.flatMap(({ sections }) => sections.map(({ header, hunks, literal }) => header + (literal ?? hunks))).join('');

/** The tree after applying the patch to `from` in a folder, with a separate index. */
async function applied(folder: string, from: string, patch: string): Promise<string> {
  const environment = { GIT_INDEX_FILE: join(folder, `index-${randomBytes(6).toString('hex')}`) };
  await must(folder, ['read-tree', from], { environment });
  if (patch !== '') {
    const { code, stderr } = await git(folder, ['apply', '--cached', '-'], { input: patch, environment });
    assert.equal(code, 0, stderr);
  }
  return await must(folder, ['write-tree'], { environment });
}

const letter = ({ isAdd, isDelete, isRename }: PatchedFile): string =>
  isAdd ? 'A' : isDelete ? 'D' : isRename ? 'R' : 'M';
const told = (one: PatchedFile): string =>
  [
    one.oldMode,
    one.newMode,
    letter(one),
    one.isBinary ? '- -' : `${one.additions} ${one.deletions}`,
    ...(one.isRename ? [one.oldPath] : []),
    one.newPath,
  ].join(' ');

/** The same list from stock git. */
async function listed(folder: string, args: readonly string[]): Promise<readonly string[]> {
  const raw = (await must(folder, ['diff', '--raw', '-z', ...args])).split('\0');
  const counts = (await must(folder, ['diff', '--numstat', ...args])).split('\n').map((row) => row.split('\t'));
  const found: string[] = [];
  for (let at = 0; at + 1 < raw.length;) {
    const [oldMode = '', newMode = '', , , status = ''] = (raw[at++] ?? '').slice(1).split(' ');
    const renamed = status.startsWith('R');
    const paths = raw.slice(at, (at += renamed ? 2 : 1));
    const [added = '', removed = ''] = counts[found.length] ?? [];
    found.push([oldMode, newMode, status === 'T' ? 'M' : status.charAt(0), added, removed, ...paths].join(' '));
  }
  return found;
}

const cases: readonly Change[] = [
  {
    before: new Map([
      ['binary', file(Buffer.from([0, 1, 2, 3]))],
      ['crlf', file('one\r\ntwo\r\n')],
      ['deleted', file('gone\n')],
      ['latin', file(Buffer.from('caf\xe9\nx\n', 'latin1'))],
      ['link', file('target', '120000')],
      ['mode', file('#!/bin/sh\n')],
      ['moved', file('a\nb\nc\nd\ne\nf\n')],
      ['no newline', file('end')],
      ['typed', file('was a file\n')],
      ['ünï', file('ä\n')],
      ['utf8 heading', file(`${'ä'.repeat(39)}x\n${'line\n'.repeat(10)}last\n`)],
    ]),
    after: new Map([
      ['added empty', file('')],
      ['binary', file(Buffer.from([0, 1, 2, 4]))],
      ['crlf', file('one\r\nthree\r\n')],
      ['elsewhere', file('a\nb\nc\nd\ne\nG\n')],
      ['latin', file(Buffer.from('caf\xe8\nx\n', 'latin1'))],
      ['link', file('other', '120000')],
      ['mode', file('#!/bin/sh\n', '100755')],
      ['no newline', file('end\n')],
      ['typed', file('now a link', '120000')],
      ['ünï', file('ö')],
      ['utf8 heading', file(`${'ä'.repeat(39)}x\n${'line\n'.repeat(10)}changed\n`)],
    ]),
  },
];

/** Compares each pair of trees by both algorithms: as a list, as hunks, and applied. */
async function compared(bench: Bench, changes: readonly Change[]): Promise<void> {
  const { repository, folder } = await changed(bench, changes);
  for (const [index] of changes.entries())
    for (const algorithm of diffAlgorithms) {
      const what = `pair ${index}, ${algorithm}`;
      const { from, to } = await ends(folder, index);
      const patch = await bench.backend.patch(repository, { from, to, algorithm }, wide);
      const args = ['-M', '--full-index', `--diff-algorithm=${algorithm}`, from, to];
      assert.deepEqual(patch.files.map(told), await listed(folder, args), what);
      const { stdout } = await git(folder, ['diff', ...args]);
      assert.deepEqual(
        patch.files.flatMap(({ sections }) => sections.map((section) => hunksOf([section]))),
        readDiff(stdout),
        what,
      );
      assert.equal(patch.omitted, undefined);
      // If all files are binary there is no text to apply.
      if (patch.files.every(({ isBinary }) => isBinary)) continue;
      const tree = await must(folder, ['rev-parse', `${to}^{tree}`]);
      assert.equal(await applied(folder, from, textOf(patch)), tree, `${what}, applied`);
    }
}

const atOnce = 20;

export const patchChecks: readonly Check<Bench>[] = [
  {
    name: 'a patch has every kind of change as in git diff, and applies',
    run: (bench) => compared(bench, cases),
  },
  ...Array.from({ length: Math.ceil(pairs / atOnce) }, (_, part): Check<Bench> => ({
    name: `a patch has the files, modes, counts, renames, hunks and line numbers of git diff, and applies (${part + 1})`,
    run: (bench) =>
      compared(
        bench,
        Array.from({ length: atOnce }, (_change, index) => generatedChange(part * atOnce + index + 1)),
      ),
  })),
  {
    name: 'a patch applies in a repository without the new objects, including binary files',
    async run(bench) {
      const { repository, folder } = await changed(bench, cases);
      const { from, to } = await ends(folder, 0);
      const tree = await must(folder, ['rev-parse', `${to}^{tree}`]);
      const patch = await bench.backend.patch(repository, { from, to, algorithm: 'myers' }, wide);
      const elsewhere = await client(bench, repository, []);
      await must(elsewhere, ['fetch', '-q', '--depth=1', 'origin', 'before-0']);
      assert.equal(await applied(elsewhere, from, textOf(patch)), tree);
      const heading = patch.files.find(({ newPath }) => newPath === 'utf8 heading');
      assert.equal(heading?.sections[0]?.literal, undefined, 'a heading that git cut is still valid text');
      const only = await bench.backend.patch(
        repository,
        { from, to, algorithm: 'myers', paths: ['moved', 'elsewhere'] },
        wide,
      );
      assert.deepEqual(only.files.map(told), ['100644 100644 R 1 1 moved elsewhere'], 'two paths alone');
      assert.deepEqual(only.files[0]?.sections, patch.files.find(({ newPath }) => newPath === 'elsewhere')?.sections);
    },
  },
  {
    name: 'a patch past a cap omits the excess, names the cap, and counts everything',
    async run(bench) {
      const lines = (count: number, text: string): Buffer => Buffer.from(`${text}\n`.repeat(count));
      const before = new Map([['keep', file('x\n')]]);
      const after = new Map([
        ['keep', file('y\n')],
        ['long', file(lines(3000, 'l'))],
        ['wide', file(lines(1, 'w'.repeat(20_000)))],
        ['z1', file(lines(100, 'z'.repeat(50)))],
        ['z2', file(lines(100, 'z'.repeat(50)))],
        ['z3', file(randomBytes(30_000))],
      ]);
      const { repository, folder } = await changed(bench, [{ before, after }]);
      const range = { ...(await ends(folder, 0)), algorithm: 'myers' } as const;
      const patch = async (caps: Partial<DiffCaps>) => {
        const { files, additions, deletions, omitted } = await bench.backend.patch(repository, range, {
          ...wide,
          ...caps,
        });
        assert.deepEqual([additions, deletions], [3202, 1]);
        return [omitted, ...files.map((one) => `${one.newPath} ${one.omitted ?? one.sections.length}`)];
      };
      const all = ['keep 1', 'long 1', 'wide 1', 'z1 1', 'z2 1', 'z3 1'];
      const without = (why: string, ...names: readonly string[]): readonly string[] =>
        all.map((one) => (names.includes(one.slice(0, -2)) ? `${one.slice(0, -2)} ${why}` : one));
      assert.deepEqual(await patch({}), [undefined, ...all]);
      assert.deepEqual(await patch({ maxFileLines: 2000 }), ['diff_too_large', ...without('diff_too_large', 'long')]);
      assert.deepEqual(await patch({ maxFileBytes: 10_000 }), ['diff_too_large', ...without('diff_too_large', 'wide')]);
      assert.deepEqual(await patch({ maxFileBytes: 25_000 }), ['diff_too_large', ...all], 'a binary file alone');
      assert.deepEqual(await patch({ maxTotalBytes: 32_000 }), [
        'total_size_cap',
        ...without('total_size_cap', 'z1', 'z2', 'z3'),
      ]);
      assert.deepEqual(await patch({ maxFiles: 5 }), [
        'file_count_cap',
        ...without('file_count_cap', 'keep', 'long', 'wide', 'z1', 'z2', 'z3'),
      ]);
      const one = await bench.backend.patch(repository, { ...range, paths: ['z2'] }, { ...wide, maxFiles: 1 });
      assert.deepEqual([one.omitted, one.files.map(told)], [undefined, ['000000 100644 A 100 0 z2']]);
    },
  },
];
