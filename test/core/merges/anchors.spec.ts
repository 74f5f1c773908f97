// Escaping of comments and their anchors, on an in-memory git of a few commits.
import t from 'tap';
import { Unavailable } from '#core/kernel/errors';
import { checkedAnchor } from '#core/merges/discussion/anchors';
import { commentText, type Anchor, type AnchorWish } from '#core/merges/model/comment';
import type { MergeRequest } from '#core/merges/index';
import { outdatedAnchors } from '#core/merges/discussion/outdated';
import { lineAfter } from '#core/merges/discussion/placed';
import { hasLine, removedBy } from '#core/merges/discussion/removed-lines';
import { escaped, unescaped, longestText } from '#core/merges/model/said';
import {
  readHunks,
  type Blob,
  type FileChange,
  type Oid,
  type Patch,
  type PatchQuery,
  type TreeEntry,
} from '#core/repositories/index';

const refusal = (detail: RegExp) => ({ kind: 'validation_failed', message: /./, detail });
const { signal } = new AbortController();
const [first, second, head, target, gone] = ['1', '2', '3', '4', '9'].map((digit) => digit.repeat(40)) as [
  Oid,
  Oid,
  Oid,
  Oid,
  Oid,
];
const change = (patch: string | undefined, more: Partial<FileChange> = {}): FileChange => ({
  path: 'a.txt',
  status: 'modified',
  additions: 1,
  deletions: 1,
  isBinary: false,
  ...(patch !== undefined && { patch }),
  ...more,
});

/** Commits with their files, the oldest first: the first is in the target, the others in the request. */
function scene(
  files: Readonly<Record<Oid, Readonly<Record<string, string>>>>,
  changes: readonly FileChange[] = [],
  source = head,
) {
  const line = [target, first, second, head];
  const asked: string[] = [];
  const oid = (content: string): Oid => Buffer.from(content).toString('hex').padEnd(40, '0');
  const entry = async (_: string, commit: Oid, path: string): Promise<TreeEntry | undefined> => {
    const content = files[commit]?.[path];
    if (content === undefined) return undefined;
    const type = path.endsWith('/') ? 'directory' : 'file';
    return { name: path, type, mode: '100644', oid: oid(content), size: content.length };
  };
  const git = {
    entry,
    commitRecord: async (_: string, commit: Oid) =>
      line.includes(commit) ? { oid: commit, message: '', author: nobody, committer: nobody, parents: [] } : undefined,
    divergence: async (_: string, base: Oid, heads: readonly Oid[]) =>
      new Map(heads.map((one) => [one, { ahead: 0, behind: Math.max(0, line.indexOf(base) - line.indexOf(one)) }])),
    isLegalName: () => true,
    readRefs: async (_: string, [ref = '']: readonly string[]) => [ref === 'refs/heads/main' ? target : source],
    blob: async (_: string, id: Oid): Promise<Blob> => {
      const bytes = Buffer.from(id.replace(/(00)+$/, ''), 'hex');
      return { oid: id, size: bytes.length, bytes: pieces(bytes) };
    },
    difference: async (_: string, from: Oid | undefined) => {
      asked.push(from ?? '');
      if (from === second) throw new Unavailable('too slow');
      return { files: changes, truncated: false, additions: 0, deletions: 0 };
    },
    patch: async (_: string, { from, paths = [] }: PatchQuery): Promise<Patch> => {
      asked.push(`${from} ${paths.join(' ')}`);
      if (from === second) throw new Unavailable('too slow');
      const files = changes.filter(({ path }) => paths.includes(path)).map(patched);
      return { files, additions: 0, deletions: 0 };
    },
  };
  return { git, asked };
}
const patched = ({ path, patch, ...more }: FileChange): Patch['files'][number] => ({
  oldPath: path,
  newPath: path,
  oldMode: '100644',
  newMode: '100644',
  isAdd: false,
  isDelete: false,
  isRename: false,
  sections: patch === undefined ? [] : [{ header: '', hunks: `${patch}\n` }],
  ...more,
});
const nobody = { name: '', email: '', date: new Date(0) };
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
}
const request: MergeRequest = {
  id: 'm',
  repositoryId: 'r',
  number: 1,
  title: '',
  description: '',
  state: 'open',
  isDraft: false,
  sourceRepositoryId: 'r',
  sourceBranch: 'topic',
  reopenedById: null,
  sourceLoss: null,
  sourceVisibility: null,
  targetVisibility: null,
  targetBranch: 'main',
  authorId: 'a',
  milestoneId: null,
  headOid: head,
  baseOid: null,
  mergeCommit: null,
  mergedById: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  mergedAt: null,
  closedAt: null,
};

void t.test('HTML is escaped once: unescaping gives back what was sent', (t) => {
  t.equal(escaped(`<a href="x">'&'</a>`), '&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;');
  for (const text of [`<a href="x">'&'</a>`, '&copy;', '&amp;', '&lt;b&gt;', '&amp;lt;', '&&amp;&#39;&', 'a &lt c'])
    t.equal(unescaped(escaped(text)), text);
  t.equal(escaped('&amp;'), '&amp;amp;');
  t.end();
});

void t.test('a comment has a text, whose size is limited after escaping', (t) => {
  t.equal(commentText(' <b>\n'), ' &lt;b&gt;\n');
  for (const blank of ['', ' ', '\n\t']) t.throws(() => commentText(blank), refusal(/"body" must not be empty/));
  t.equal(commentText('x'.repeat(longestText)).length, longestText);
  t.throws(() => commentText(`${'x'.repeat(longestText - 1)}<`), refusal(/escaped; 65536 are allowed/));
  t.end();
});

void t.test('an anchor is a commit of the request, a file in it, or a line of that file', async (t) => {
  const files = { 'a.txt': 'one\ntwo\n', 'open.txt': 'one\ntwo', 'none.txt': '', 'dir/': 'x', bin: 'a\n\0\nb\n' };
  const { git } = scene({ [first]: { 'old.txt': 'x\n' }, [head]: files });
  const check = (wish: AnchorWish, more: object = {}) => checkedAnchor(git, { ...request, ...more }, wish, signal);
  const anchor = (commitOid: Oid | null, filePath: string | null, lineNumber: number | null) => ({
    commitOid,
    filePath,
    lineNumber,
    startLine: null,
  });

  t.same(await check({}), anchor(null, null, null));
  for (const commitOid of [first, second, head]) t.same(await check({ commitOid }), anchor(commitOid, null, null));
  t.same(await check({ filePath: 'a.txt' }), anchor(head, 'a.txt', null), 'of the current head');
  t.same(await check({ commitOid: first, filePath: 'old.txt', lineNumber: 1 }), anchor(first, 'old.txt', 1));
  for (const [filePath, lines] of [
    ['a.txt', 2],
    ['open.txt', 2],
    ['none.txt', 0],
    ['bin', 0],
  ] as const) {
    for (let line = 1; line <= lines; line++)
      t.same(await check({ filePath, lineNumber: line }), anchor(head, filePath, line));
    await t.rejects(check({ filePath, lineNumber: lines + 1 }), refusal(/"line_number"/), filePath);
  }

  await t.rejects(check({ lineNumber: 1 }), refusal(/"file_path" too/));
  for (const wish of [{ startLine: 1 }, { startLine: 2, lineNumber: 1 }])
    await t.rejects(check({ filePath: 'old.txt', ...wish }), refusal(/"start_line"/));
  await t.rejects(check({ commitOid: gone }), refusal(/"commit_sha"/), 'an unknown commit');
  await t.rejects(check({ commitOid: target }), refusal(/"commit_sha"/), 'a commit of the target');
  await t.rejects(check({ commitOid: first }, { state: 'merged', baseOid: first }), refusal(/"commit_sha"/));
  t.same(await check({ commitOid: second }, { state: 'merged', baseOid: first }), anchor(second, null, null));
  await t.rejects(check({ filePath: 'old.txt' }), refusal(/"file_path"/), 'deleted since');
  await t.rejects(check({ filePath: 'dir/' }), refusal(/"file_path"/), 'a folder');

  const { git: pushed } = scene({ [head]: files }, [], head);
  const before = { ...request, headOid: second };
  const after = await checkedAnchor(pushed, before, { commitOid: head, filePath: 'a.txt' }, signal);
  t.same(after, anchor(head, 'a.txt', null), 'a commit that was just pushed');
  for (const late of [{ state: 'closed' }, { sourceRepositoryId: 'fork' }] as const)
    await t.rejects(
      checkedAnchor(pushed, { ...before, ...late }, { commitOid: head }, signal),
      refusal(/"commit_sha"/),
    );
});

void t.test('the lines that a change removes, as ranges', async (t) => {
  const patch = '@@ -2,3 +2,3 @@ f\n a\n-b\n-- c\n+x\n+@@ -9 +9 @@\n\\ No newline at end of file\n@@ -20 +20,0 @@\n-z';
  t.same(removedBy(change(patch)), [3, 4, 20, 20]);
  t.same(removedBy(change(undefined, { deletions: 0 })), [], 'renamed, or only with additions');
  t.equal(removedBy(change(undefined)), undefined, 'beyond a limit');
  t.equal(removedBy(change(undefined, { isBinary: true, deletions: 0 })), undefined, 'binary');
  const ranges = [3, 4, 9, 9, 20, 30];
  const within = Array.from({ length: 33 }, (_, line) => line).filter((line) => hasLine(ranges, line));
  t.same(within, [3, 4, 9, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
  t.equal(hasLine([], 1), false);
  t.same(
    removedBy(change(`@@ -1,100000 +0,0 @@\n${'-x\n'.repeat(100_000)}`)),
    [1, 100_000],
    'one range for many lines',
  );
});

void t.test('an anchor is outdated when its line or file no longer exists', async (t) => {
  const { git, asked } = scene(
    {
      [first]: { 'a.txt': 'x', 'same.txt': 's', 'moved.txt': 'm', 'left.txt': 'l', 'odd.txt': 'o' },
      [second]: { 'a.txt': 'y' },
      [head]: { 'a.txt': 'z', 'same.txt': 's' },
    },
    [
      change('@@ -3 +3 @@\n-c\n+d'),
      change('@@ -1 +1 @@\n-c\n+d', { path: 'new.txt', previousPath: 'moved.txt', status: 'renamed' }),
      change('@@ -1 +0,0 @@\n-c', { path: 'left.txt', status: 'removed' }),
    ],
  );
  const at = (commitOid: Oid | null, filePath: string | null, lineNumber: number | null): Anchor => ({
    commitOid,
    filePath,
    lineNumber,
    startLine: null,
  });
  const cases: readonly (readonly [Anchor, boolean | null, string])[] = [
    [at(null, null, null), false, 'no anchor'],
    [at(first, null, null), false, 'a commit alone'],
    [at(head, 'a.txt', 3), false, 'at the head itself'],
    [at(first, 'same.txt', 1), false, 'a file that is the same'],
    [at(first, 'a.txt', 2), false, 'before the change'],
    [at(first, 'a.txt', 3), true, 'the line that is changed'],
    [at(first, 'a.txt', 4), false, 'after it'],
    [at(first, 'a.txt', null), false, 'the file'],
    [at(first, 'moved.txt', 1), true, 'a line of a file that was renamed'],
    [at(first, 'moved.txt', 2), false, 'another'],
    [at(first, 'left.txt', null), true, 'a file that is gone'],
    [at(first, 'odd.txt', 1), null, 'a file that the diff does not tell of'],
    [at(gone, 'a.txt', 1), true, 'a commit that is gone'],
    [at(second, 'a.txt', 1), null, 'a diff that takes too long'],
  ];
  const anchors = cases.map(([anchor]) => anchor);
  const outdatedAt = outdatedAnchors(git);
  const answers = await outdatedAt(request, anchors, signal);
  for (const [index, [, expected, what]] of cases.entries()) t.equal(answers[index], expected, what);
  t.same(asked, [first, `${second} a.txt`], 'each commit once');
  t.same(await outdatedAt(request, anchors, signal), answers);
  t.same(asked.slice(2), [`${second} a.txt`], 'once each, except those that failed');
  t.same(await outdatedAt(request, anchors.slice(0, 4), signal), [false, false, false, false]);
  t.equal(asked.length, 3, 'no comparison if no file has changed');

  const late = { ...request, headOid: first };
  const just = [at(head, 'a.txt', 3), at(first, 'a.txt', 3)];
  t.same(await outdatedAt(late, just, signal), [false, true], 'the head is the current tip of the source');
  t.same(
    await outdatedAt({ ...late, state: 'merged' }, [at(first, 'a.txt', 3)], signal),
    [false],
    'for a request that is not open it is the recorded head',
  );
});

void t.test(
  'an answer makes a bounded number of comparisons, later answers the rest, and none is repeated',
  async (t) => {
    const commits = Array.from({ length: 50 }, (_, index) => String(index).padStart(40, 'a'));
    const before = { 'a.txt': 'x', 'b.txt': 'x' };
    const files = Object.fromEntries(commits.map((oid) => [oid, before]));
    const { git, asked } = scene({ ...files, [head]: { 'a.txt': 'z' } }, [
      change('@@ -1 +1 @@\n-c\n+d'),
      change('@@ -1 +0,0 @@\n-c', { path: 'b.txt', status: 'removed' }),
    ]);
    const outdatedAt = outdatedAnchors(git);
    const on = (filePath: string): readonly Anchor[] =>
      commits.map((commitOid) => ({ commitOid, filePath, lineNumber: 1, startLine: null }));
    for (const [filePath, atOnce] of [
      ['a.txt', 20],
      ['b.txt', 2],
    ] as const) {
      asked.length = 0;
      for (let known = atOnce; known <= commits.length; known += atOnce) {
        const answers = await outdatedAt(request, on(filePath), signal);
        t.same(
          answers,
          commits.map((_, index) => (index < known ? true : null)),
          `${filePath}: ${known}`,
        );
        t.equal(asked.length, known, 'comparisons so far');
      }
      await outdatedAt(request, on(filePath), signal);
      t.notMatch(await outdatedAt(request, on(filePath), signal), [null], 'all are known');
      t.equal(asked.length, commits.length, 'each once');
      t.equal(new Set(asked).size, commits.length);
    }
  },
);

void t.test('comparisons that failed are retried after all others', async (t) => {
  const files = { [second]: { 'a.txt': 'x' }, [first]: { 'a.txt': 'y' }, [head]: { 'a.txt': 'z' } };
  const { git, asked } = scene(files, [change('@@ -1 +1 @@\n-c\n+d')]);
  const outdatedAt = outdatedAnchors(git);
  const anchors = [second, first].map((commitOid): Anchor => ({
    commitOid,
    filePath: 'a.txt',
    lineNumber: 1,
    startLine: null,
  }));
  t.same(await outdatedAt(request, anchors, signal), [null, null], 'git is slow now');
  t.same(await outdatedAt(request, anchors, signal), [null, true]);
  t.same(asked, [`${second} a.txt`, `${first} a.txt`, `${second} a.txt`]);
});

void t.test('an answer compares each commit once, however many of its files are commented on', async (t) => {
  const names = Array.from({ length: 250 }, (_, index) => `f${index}.txt`);
  const all = (content: string) => Object.fromEntries(names.map((name) => [name, content]));
  const changes = names.map((path) => change('@@ -1 +1 @@\n-c\n+d', { path }));
  const { git, asked } = scene({ [first]: { ...all('x'), 'gone.txt': 'x' }, [head]: all('z') }, changes);
  const outdatedAt = outdatedAnchors(git);
  const on = (paths: readonly string[]): readonly Anchor[] =>
    paths.map((filePath) => ({ commitOid: first, filePath, lineNumber: 1, startLine: null }));
  for (const known of [100, 200, 250]) {
    const answers = await outdatedAt(request, on(names), signal);
    t.equal(answers.filter((answer) => answer === true).length, known);
  }
  t.equal(asked.length, 3);
  t.equal((await outdatedAt({ ...request, id: 'n' }, on([...names, 'gone.txt']), signal)).at(-1), null);
  t.equal(asked.length, 4);
});

void t.test('a line moves with the lines that were added and removed before it', async (t) => {
  const hunks = readHunks(
    '@@ -2,3 +2,4 @@\n two\n-three\n+drei\n+more\n four\n@@ -10,0 +12,2 @@\n+a\n+b\n@@ -20 +23,0 @@\n-x\n',
  );
  for (const [before, after] of [
    [1, 1],
    [2, 2],
    [3, undefined],
    [4, 5],
    [9, 10],
    [10, 11],
    [11, 14],
    [19, 22],
    [20, undefined],
    [21, 23],
  ] as const)
    t.equal(lineAfter(hunks, before), after, `line ${before}`);
  t.equal(lineAfter([], 7), 7);
});
