// The comparison of two diffs: hunks that a file imitates, files that are left out, and what cannot be compared.
import t from 'tap';
import { isSameDiff } from '#core/merges/model/same-diff';
import type { Patch, PatchedFile } from '#core/repositories/index';

const oids = { one: '1'.repeat(40), two: '2'.repeat(40), new: '3'.repeat(40) };

const file = (hunks: string, patch: Partial<PatchedFile> = {}, old = oids.one): PatchedFile => ({
  oldPath: 'f',
  newPath: 'f',
  oldMode: '100644',
  newMode: '100644',
  isBinary: false,
  isAdd: false,
  isDelete: false,
  isRename: false,
  additions: 1,
  deletions: 0,
  sections: [{ header: `diff --git a/f b/f\nindex ${old}..${oids.new} 100644\n--- a/f\n+++ b/f\n`, hunks }],
  ...patch,
});
const diff = (...files: readonly PatchedFile[]): Patch => ({ files, additions: 1, deletions: 0 });
const none = async (): Promise<never> => {
  throw new Error('the bases are equal');
};

void t.test('lines of a file that look like a hunk are compared as lines', async (t) => {
  for (const end of ['\r', '\u{2028}', '\u{2029}', ''])
    for (const heading of ['@@ -1 +1 @@ ', '@@ -9,9 +9,9 @@']) {
      const hunks = (text: string) => `@@ -1 +1,2 @@\n a\n+b${end}${heading}${text}\n`;
      t.ok(await isSameDiff(diff(file(hunks('same'))), diff(file(hunks('same'))), none));
      t.notOk(await isSameDiff(diff(file(hunks('one'))), diff(file(hunks('two'))), none), encodeURIComponent(end));
    }
});

void t.test('headings of hunks do not count', async (t) => {
  const hunks = (heading: string) => `@@ -4,2 +4,3 @@${heading}\n a\n+b\n c\n`;
  t.ok(await isSameDiff(diff(file(hunks(' one'))), diff(file(hunks(' two'))), none));
});

void t.test('diffs that are incomplete are not the same', async (t) => {
  const whole = file('@@ -1 +1,2 @@\n a\n+b\n');
  const left = file('', { omitted: 'diff_too_large', sections: [] });
  t.notOk(await isSameDiff({ ...diff(whole), omitted: 'total_size_cap' }, diff(whole), none));
  t.notOk(await isSameDiff(diff(whole), { ...diff(whole), omitted: 'total_size_cap' }, none));
  t.notOk(await isSameDiff(diff(left), diff(left), none));
  t.notOk(await isSameDiff(diff(whole), diff(whole, { ...whole, newPath: 'g' }), none));
  t.notOk(await isSameDiff(diff(whole), diff({ ...whole, newMode: '100755' }), none));
});

void t.test('the changes of the target decide where lines may be', async (t) => {
  const at = (line: number, old: string) => diff(file(`@@ -${line},2 +${line},3 @@\n a\n+b\n c\n`, {}, old));
  const isSame = (from: number, to: number, ...between: readonly PatchedFile[]) =>
    isSameDiff(at(from, oids.one), at(to, oids.two), async () => between);
  const inserted = (line: number) => file(`@@ -${line - 1},2 +${line - 1},3 @@\n x\n+y\n z\n`);
  t.ok(await isSame(10, 11, inserted(5)));
  t.notOk(await isSame(10, 10, inserted(5)));
  t.ok(await isSame(10, 11, inserted(10)), 'right above');
  t.ok(await isSame(10, 10, inserted(12)), 'right below');
  t.notOk(await isSame(10, 11, inserted(11)), 'between the lines');
  t.notOk(await isSame(10, 10, file('@@ -10,1 +10,1 @@\n-a\n+a\n')), 'a line of it');
  t.ok(await isSame(10, 8, file('@@ -1,3 +0,0 @@\n-x\n-y\n-z\n@@ -9,0 +7 @@\n+q\n')), 'two changes, without context');
  t.notOk(await isSame(10, 10), 'the changes are unknown');
  t.notOk(await isSame(10, 10, file('', { omitted: 'diff_too_large', sections: [] })), 'the changes are left out');
});

void t.test('files that are not text are the same if both of their contents are', async (t) => {
  const binary = (old: string): PatchedFile => {
    const { sections, ...rest } = file('', { isBinary: true }, old);
    return { ...rest, sections: sections.map((section) => ({ ...section, literal: 'GIT binary patch\n' })) };
  };
  t.ok(await isSameDiff(diff(binary(oids.one)), diff(binary(oids.one)), none));
  t.notOk(await isSameDiff(diff(binary(oids.one)), diff(binary(oids.two)), none));
  const latin = (old: string) => diff(file('@@ -1 +1,2 @@\n a\n+\u{FFFD}\n', {}, old));
  t.ok(await isSameDiff(latin(oids.one), latin(oids.one), none));
  t.notOk(await isSameDiff(latin(oids.one), latin(oids.two), none));
});
