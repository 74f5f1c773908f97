// Truncation of texts and answers: truncated texts are marked, and no answer exceeds its limit.
import t from 'tap';
import {
  boundedCommits,
  boundedDifference,
  boundedEntries,
  boundedLines,
} from '#core/repositories/contents/answer-bounds';
import { clip, fit, fitMembers, jsonBytes } from '#core/kernel/clipping';
import type { CommitRecord, FileChange } from '#core/repositories/index';

const MiB = 1024 ** 2;
const oid = 'a'.repeat(40);
const date = new Date(0);
const hostile = '\u0001'.repeat(256);

void t.test('a text over its limit ends in an ellipsis, never in a lone surrogate', (t) => {
  t.equal(clip('abc', 3), 'abc');
  t.equal(clip('abcd', 3), 'ab…');
  t.equal(clip('a😀b', 3), 'a😀b', 'characters are code points');
  t.equal(clip('a😀bc', 3), 'a😀…');
  t.equal(clip('😀'.repeat(5), 4), `${'😀'.repeat(3)}…`);
  t.end();
});

void t.test('the size of a text is the size of its JSON', (t) => {
  for (const text of ['', 'abc', 'ä"\\', '\u0000\u0001\n\t\r\b\f', '€\uFFFD\u2028', '😀a', '\u007f\u0080'])
    t.equal(jsonBytes(text), Buffer.byteLength(JSON.stringify(text)) - 2, encodeURIComponent(text));
  t.end();
});

void t.test('texts of one answer are truncated together: the longest to one size, the others not at all', (t) => {
  const texts = ['short', 'x'.repeat(1000), 'ü'.repeat(1000), '\u0001'.repeat(1000), 'x'.repeat(1000)];
  const fitted = fit(texts, 1000);
  t.equal(fitted[0], 'short');
  const sizes = fitted.map(jsonBytes);
  t.ok(sizes.reduce((sum, size) => sum + size) <= 1000);
  t.ok(sizes.slice(1).every((size) => size > 240 && size <= 249));
  t.ok(fitted.slice(1).every((text) => text.endsWith('…')));
  t.equal(fit(texts, 20_000), texts, 'texts that fit are unchanged');
  t.same(fit(['abcdef', 'x'], 3), ['', 'x'], 'without room even for the ellipsis');
  t.end();
});

void t.test('only as much of a long text is read as fits', (t) => {
  let looks = 0;
  const long = {
    length: 1_000_000,
    charCodeAt: () => {
      looks += 1;
      return 1;
    },
    slice: (from: number, to: number) => '\u0001'.repeat(to - from),
  } as unknown as string;
  const fitted = fit([long, 'short', long, long], 60_000);
  t.equal(fitted[1], 'short');
  t.equal(fitted[0]?.length, 3332 + 1, 'a third of what the short one leaves');
  t.ok(looks > 9000 && looks < 11_000, `${looks} characters of 3,000,000`);
  t.end();
});

void t.test('answers about a repository stay below 8 MiB however long its texts are', async (t) => {
  const signature = { name: hostile, email: `${hostile}${'\u0001'.repeat(64)}`, date };
  const commit: CommitRecord = {
    oid,
    message: '\u0001'.repeat(64 * 1024),
    author: signature,
    committer: signature,
    parents: Array.from({ length: 5000 }, () => oid),
  };
  const commits = boundedCommits(Array.from({ length: 250 }, () => commit));
  t.equal(commits.truncated, true);
  t.equal(commits.items[0]?.parents.length, 80);
  const file: FileChange = {
    path: '\u0001'.repeat(4096),
    previousPath: 'x'.repeat(4096),
    status: 'renamed',
    additions: 1,
    deletions: 1,
    isBinary: false,
    patch: '\u0001'.repeat(100 * 1024),
  };
  const files = Array.from({ length: 3000 }, () => file);
  const difference = boundedDifference({ files, truncated: false, additions: 1, deletions: 1 });
  t.equal(difference.truncated, true);
  t.ok(difference.files.some(({ patch }) => patch === undefined));
  t.ok(Buffer.byteLength(JSON.stringify([commits.items, difference.files])) < 8 * MiB);
  const small = { ...file, path: 'p'.repeat(100), previousPath: 'q' };
  const three = boundedDifference({
    files: [small, { ...small, path: 'p'.repeat(4097) }, small],
    truncated: false,
    additions: 0,
    deletions: 0,
  });
  t.same([three.files.length, three.truncated], [2, true], 'a path that is too long is omitted, not truncated');

  const lines = boundedLines(
    Array.from({ length: 25_000 }, () => ({ content: '\u0001'.repeat(40), oid, author: signature })),
  );
  t.equal(lines.length, 25_000);
  t.ok(lines[0]?.content.endsWith('…') === true && lines[0].author.email.endsWith('…'));
  const printed = lines.map(({ content, author }, index) => ({
    line_number: index + 1,
    content,
    sha: oid,
    author_name: author.name,
    author_email: author.email,
    author_date: date.toISOString(),
  }));
  t.ok(Buffer.byteLength(JSON.stringify(printed)) < 8 * MiB);

  const folder = 'd'.repeat(2000);
  const entry = { type: 'submodule', mode: '160000', oid, size: 0 } as const;
  const entries = Array.from({ length: 10_000 }, (_, index) => ({ ...entry, name: `${index}`.padEnd(200, '\u0001') }));
  const last = new Map(entries.map(({ name }) => [name, { oid, subject: '\u0001'.repeat(1024), committedAt: date }]));
  const shown = boundedEntries(entries, folder, last);
  t.equal(shown.truncated, true);
  const listing = shown.items.map(({ entry: { name }, lastCommit }) => ({
    name,
    path: `${folder}/${name}`,
    type: 'submodule',
    size: 0,
    mode: '160000',
    last_commit_message: lastCommit?.subject,
    last_commit_date: date.toISOString(),
  }));
  t.ok(Buffer.byteLength(JSON.stringify(listing)) < 8 * MiB);
  const plain = boundedEntries([{ ...entry, name: 'a' }], '', new Map());
  t.same(plain, { items: [{ entry: { ...entry, name: 'a' }, lastCommit: undefined }], truncated: false });
});

void t.test('texts of rows are truncated together, the longest first, and null stays null', (t) => {
  const rows = [
    { id: 1, text: 'x'.repeat(60), more: null },
    { id: 2, text: 'short', more: 'y'.repeat(60) },
  ];
  t.equal(fitMembers(rows, ['text', 'more'], 1000), rows, 'rows that fit are unchanged');
  t.strictSame(fitMembers(rows, ['text', 'more'], 45), [
    { id: 1, text: `${'x'.repeat(17)}…`, more: null },
    { id: 2, text: 'short', more: `${'y'.repeat(17)}…` },
  ]);
  const [first, cut] = fitMembers([{ text: 'a' }, { text: 'x'.repeat(60) }], ['text'], 40);
  t.strictSame(first, { text: 'a' });
  t.equal(cut?.text, `${'x'.repeat(36)}…`);
  t.end();
});

void t.test('a text is truncated at the last character that fits, whatever the size of its characters', (t) => {
  for (const unit of ['x', 'ü', '字', '😀', '\u0001', '"', 'a"\u0001字😀'])
    for (const most of [1, 3, 4, 99, 1024, 4096, 9001]) {
      const [cut = ''] = fit([unit.repeat(10_000)], most);
      t.ok(jsonBytes(cut) <= most && cut.isWellFormed(), `${unit} ${most}`);
      t.ok(jsonBytes(cut) > most - 9 || most < 9, `${unit} ${most}: as much as fits`);
    }
  t.end();
});
