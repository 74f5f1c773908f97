// The diff of a merge request, over a stub of the git back end that returns, fails or is down.
import t from 'tap';
import { Internal, NotFound, Unavailable, Unprocessable } from '#core/kernel/errors';
import { diffOf, filesOf, ofDiff, suppressionOf, type DiffParts } from '#core/merges/model/diff';
import { hunksOf } from '#core/repositories/git/hunks';
import type { CommitRecord, GitBackend, Patch, PatchedFile } from '#core/repositories/index';
import { awake } from '#test/support/awake';

const oid = (digit: string): string => digit.repeat(40);
const [target, head, base, shared] = [oid('a'), oid('b'), oid('c'), oid('d')];
const caps = { maxFileBytes: 1, maxTotalBytes: 2, maxFileLines: 3, maxFiles: 4 };
const open = { repositoryId: 'r', targetBranch: 'main', headOid: head, baseOid: null };

const file = (path: string, more: Partial<PatchedFile> = {}): PatchedFile => ({
  oldPath: path,
  newPath: path,
  oldMode: '100644',
  newMode: '100644',
  isBinary: false,
  isAdd: false,
  isDelete: false,
  isRename: false,
  additions: 1,
  deletions: 0,
  sections: [{ header: `diff --git a/${path} b/${path}\n`, hunks: '@@ -0,0 +1 @@\n+x\n' }],
  ...more,
});
const patchOf = (...files: PatchedFile[]): Patch => ({ files, additions: files.length, deletions: 0 });

/** A back end whose `patch` is given by the test; its calls are recorded in `asked`. */
function parts(patch: () => Promise<Patch> | Patch, more: Partial<GitBackend> = {}) {
  const asked: unknown[] = [];
  const logged: string[] = [];
  const git = {
    isLegalName: () => true,
    readRefs: async () => [target],
    mergeBase: async (_repository: string, one: string, other: string) => {
      asked.push(['base', one, other]);
      return shared;
    },
    divergence: async () => new Map([[head, { ahead: 2, behind: 1 }]]),
    // A merge commit: only git can find its merge base with the target.
    commitRecord: async () => ({ parents: [base, shared] }) as unknown as CommitRecord,
    patch: async (_repository: string, query: object) => {
      asked.push(query);
      return await patch();
    },
    ...more,
  } as Partial<GitBackend> as GitBackend;
  const log = { debug() {}, info() {}, warn() {}, error: (_members: object, message: string) => logged.push(message) };
  return { asked, logged, parts: { git, diffs: { caps, algorithm: 'histogram' }, log } satisfies DiffParts };
}

void t.test('the diff is between merge base and head; for a merged request the recorded target is used', async (t) => {
  const one = parts(() => patchOf(file('a'), file('b')));
  t.same(await diffOf(one.parts, open), {
    commits: 2,
    additions: 2,
    deletions: 0,
    diff: 'diff --git a/a b/a\n@@ -0,0 +1 @@\n+x\ndiff --git a/b b/b\n@@ -0,0 +1 @@\n+x\n',
    suppressed: undefined,
    files: [file('a'), file('b')],
    caps,
  });
  t.same(one.asked, [['base', target, head], { from: shared, to: head, algorithm: 'histogram' }]);
  const merged = parts(() => patchOf());
  await diffOf(merged.parts, { ...open, baseOid: base }, 'myers');
  t.same(merged.asked, [['base', base, head], { from: shared, to: head, algorithm: 'myers' }]);
  const strange = parts(() => patchOf(), { mergeBase: async () => undefined });
  await filesOf(strange.parts, open, { paths: ['x'] }, new AbortController().signal);
  t.same(strange.asked, [{ from: target, to: head, algorithm: 'histogram', paths: ['x'] }], 'nothing in common');
});

void t.test('a linear history starts at the base, without a merge base computation by git', async (t) => {
  const line = (parents: Readonly<Record<string, readonly string[]>>, ahead: number) =>
    parts(() => patchOf(), {
      divergence: async () => new Map([[head, { ahead, behind: 1 }]]),
      commitRecord: async (_repository, commit) => ({ parents: parents[commit] ?? [] }) as unknown as CommitRecord,
    });
  const diffed = { from: base, to: head, algorithm: 'histogram' };
  for (const [what, one, asked] of [
    ['two commits', line({ [head]: [shared], [shared]: [base] }, 2), [diffed]],
    ['no commits', line({}, 0), [{ ...diffed, from: head }]],
    ['an unrelated history', line({}, 1), [['base', target, head], { ...diffed, from: shared }]],
    ['a long history', line({ [head]: [head] }, 51), [['base', target, head], { ...diffed, from: shared }]],
  ] as const) {
    await diffOf(one.parts, open);
    t.same(one.asked, asked, what);
  }
});

void t.test('a suppressed diff has a reason, and so do omitted files', async (t) => {
  const suppressed = async (patch: Patch) => {
    const { diff, suppressed: reason, additions, files } = await diffOf(parts(() => patch).parts, open);
    return [diff, reason, additions, files.length];
  };
  const binary = file('b', { isBinary: true });
  t.same(await suppressed(patchOf(binary)), ['', 'binary_files_only', 1, 1]);
  t.match(await suppressed(patchOf(binary, file('a'))), [/^diff/, undefined]);
  t.match(await suppressed(patchOf()), ['', undefined, 0, 0], 'an empty diff is not suppressed');
  for (const omitted of ['diff_too_large', 'total_size_cap'] as const)
    t.same(await suppressed({ ...patchOf(file('a')), omitted }), ['', omitted, 1, 1]);
  t.same(await suppressed({ ...patchOf(file('a')), omitted: 'file_count_cap' }), ['', 'file_count_cap', 1, 0]);
  const control = file('a', { sections: [{ header: '', hunks: '\u0001'.repeat(1_500_000) }] });
  t.same(await suppressed(patchOf(control)), ['', 'total_size_cap', 1, 1], 'the JSON would be too long');
  const many = Array.from({ length: 300 }, (_, index) => file(`${index}${'p'.repeat(4000)}`));
  const { files } = await diffOf(parts(() => patchOf(...many)).parts, open);
  t.ok(files.length > 100 && files.length < 150, `paths are listed up to a limit: ${files.length}`);
  t.same([file('a'), binary, file('a', { omitted: 'diff_too_large', isBinary: true })].map(suppressionOf), [
    undefined,
    'binary_files_only',
    'diff_too_large',
  ]);
});

void t.test('if git fails the diff is suppressed, and files are 503 with the reason', async (t) => {
  const costly = new Unavailable('too costly', { retryAfter: 60 });
  for (const [error, reason, logged, retryAfter] of [
    [new Unavailable('away'), 'git_backend_unavailable', 0, undefined],
    [new NotFound('no repository'), 'repository_lookup_failed', 0, undefined],
    [new Unprocessable('too far apart', { cause: costly }), 'compare_branches_failed', 0, 60],
    [new Internal('broken'), 'compare_branches_failed', 2, undefined],
  ] as const) {
    const failing = parts(() => Promise.reject(error));
    const told = await diffOf(failing.parts, open);
    t.match(told, { suppressed: reason, diff: '', commits: 0, additions: 0, files: [], caps }, reason);
    const files = ofDiff(failing.parts, open, undefined, (signal) => filesOf(failing.parts, open, {}, signal));
    await t.rejects(files, { name: 'Unavailable', body: { suppressed_reason: reason }, retryAfter });
    t.equal(failing.logged.length, logged, 'a fault of the server is logged');
  }
  const gone = parts(() => patchOf(), { readRefs: async () => [oid('0')] });
  t.equal((await diffOf(gone.parts, open)).suppressed, 'compare_branches_failed', 'the target does not exist');
  const fault = parts(() => Promise.reject(new TypeError('a mistake')));
  await t.rejects(diffOf(fault.parts, open), TypeError, 'a programming error is thrown');
  const left = AbortSignal.abort(new Error('the client went away'));
  const away = parts(() => Promise.reject(new Unavailable('stopped')));
  await t.rejects(diffOf(away.parts, open, 'myers', left), /went away/, 'the client has disconnected');
});

void t.test("hunks are parsed from git's output", (t) => {
  const hunks = '@@ -1,2 +1,2 @@ some heading\n a\r\n-@@ b\n\\ No newline at end of file\n+\\ c\n@@ -9 +9,0 @@\n-\n';
  t.same(
    hunksOf([
      { header: '', hunks },
      { header: '', hunks: '' },
    ]),
    [
      {
        oldStart: 1,
        oldLines: 2,
        newStart: 1,
        newLines: 2,
        lines: [
          { op: ' ', content: 'a\r', oldNo: 1, newNo: 1 },
          { op: '-', content: '@@ b', oldNo: 2, newNo: 0, noNewline: true },
          { op: '+', content: '\\ c', oldNo: 0, newNo: 2 },
        ],
      },
      { oldStart: 9, oldLines: 1, newStart: 9, newLines: 0, lines: [{ op: '-', content: '', oldNo: 9, newNo: 0 }] },
    ],
  );
  t.end();
});

void t.test('an answer waits for git with a time limit; slow work continues and serves the next request', async (t) => {
  const { promise, resolve } = Promise.withResolvers<Patch>();
  let signal: AbortSignal | undefined;
  const slow = parts(() => promise, {
    divergence: async (_repository, _base, _heads, given) => {
      signal = given;
      return new Map([[head, { ahead: 2, behind: 1 }]]);
    },
  });
  t.match(await awake(diffOf(slow.parts, open)), { suppressed: 'git_backend_unavailable', commits: 0, files: [] });
  t.equal(signal?.aborted, false, 'the work continues');
  const files = (): Promise<object> =>
    ofDiff(slow.parts, open, undefined, (inner) => filesOf(slow.parts, open, {}, inner));
  await t.rejects(awake(files()), {
    name: 'Unavailable',
    retryAfter: 2,
    body: { suppressed_reason: 'git_backend_unavailable' },
  });
  resolve(patchOf(file('a')));
  t.match(await diffOf(slow.parts, open), { suppressed: undefined, commits: 2 });
  t.match(await files(), [{ newPath: 'a' }]);
});
