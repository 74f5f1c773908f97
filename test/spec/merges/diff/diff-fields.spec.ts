// Tests of the diff of a fetched merge request: its counts and files, its caps, and each reason for suppressing it.
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { temporaryFolder } from '#test/support/folder';
import { startTestForge } from '#test/support/forge';
import { thorough } from '#test/support/marks';
import { sharedForge } from '#test/support/shared-forge';
import { isError } from '#test/support/clients/error-answer';
import { appliedElsewhere, oddBefore, oddChange, proposal, written, type DiffJson } from '../proposal.ts';

const caps = { max_file_bytes: 512 * 1024, max_total_bytes: 4 * 1024 ** 2, max_file_lines: 20_000, max_files: 1000 };
const suppressed = (reason: string) => ({ diff: '', diff_suppressed: true, diff_suppressed_reason: reason });

void t.test('the diff of a merge request', async (t) => {
  const forge = await sharedForge(t);
  const alice = await forge.createUser('alice');
  const fetched = async (path: string, query = ''): Promise<DiffJson> => {
    const answer = await forge.anonymous.get(`${path}${query}`);
    t.equal(answer.status, 200, answer.text.slice(0, 500));
    return answer.body as DiffJson;
  };

  await t.test(
    'the diff applies to the merge base and gives the tree of the source, for every kind of change, with files and counts',
    async (t) => {
      const { work, path } = await proposal(t, forge, alice, 'odd', oddBefore, oddChange, written({ more: 'x\n' }));
      const request = await fetched(path);
      const tree = (await work.git('rev-parse', 'topic^{tree}')).trim();
      t.equal(await appliedElsewhere(t, work, 'main', request.diff), tree);
      const counts = (await work.git('diff', '-M', '--numstat', 'main', 'topic')).trim().split('\n');
      const sum = (column: number): number =>
        counts.reduce((all, row) => all + (Number(row.split('\t')[column]) || 0), 0);
      t.match(request, {
        commits_count: 2,
        additions: sum(0),
        deletions: sum(1),
        diff_suppressed: false,
        diff_suppressed_reason: undefined,
        diff_caps: caps,
      });
      t.equal(request.files?.length, counts.length);
      t.same((await forge.anonymous.get(`${path}/files`)).body, {
        files: request.files,
        total: counts.length,
        page: 1,
        per_page: 50,
      });
      const { items } = (await forge.anonymous.get(path.slice(0, path.lastIndexOf('/')))).body as { items: DiffJson[] };
      t.match(
        items,
        [{ commits_count: 0, additions: 0, deletions: 0, diff: '', diff_suppressed: false }],
        'not in lists',
      );
      t.notOk(items.some((item) => 'files' in item || 'diff_caps' in item));
    },
  );

  await t.test(
    'the diff is against the merge base for any target, and changes with pushes to both branches',
    async (t) => {
      const { work, path, push } = await proposal(
        t,
        forge,
        alice,
        'moved',
        { a: '1\n', b: '1\n' },
        written({ a: '2\n' }),
      );
      const before = await fetched(path);
      await work.git('checkout', '--quiet', 'main');
      await work.commit('Elsewhere', { b: '2\n', c: '1\n' });
      await push('main');
      t.equal((await fetched(path)).diff, before.diff);
      t.equal((await fetched(path)).commits_count, 1);
      await work.git('checkout', '--quiet', 'topic');
      await work.git('merge', '--quiet', '--no-edit', 'main');
      await work.commit('More', { d: '1\n' });
      await push('topic');
      await forge.forge.drained();
      const after = await fetched(path);
      t.same(
        [after.files?.map((file) => file.new_path), after.commits_count],
        [['a', 'd'], 3],
        'changes of the target are not in the diff',
      );
      t.equal(after.diff, await work.git('diff', '--full-index', 'main', 'topic'), 'as stock git prints it');
    },
  );

  await t.test('the diff is made by the requested algorithm; 400 for an unknown one', async (t) => {
    const [before, after] = ['a\nb\nc\na\nb\nb\na\n', 'c\nb\na\nb\na\nc\n'];
    const { work, path } = await proposal(t, forge, alice, 'algorithms', { a: before }, written({ a: after }));
    const printed = (algorithm: string) =>
      work.git('diff', '--full-index', `--diff-algorithm=${algorithm}`, 'main', 'topic');
    t.not(await printed('myers'), await printed('histogram'), 'the algorithms differ here');
    t.equal((await fetched(path)).diff, await printed('myers'), 'the default');
    t.equal((await fetched(path, '?algorithm=')).diff, await printed('myers'));
    for (const algorithm of ['myers', 'histogram'])
      t.equal((await fetched(path, `?algorithm=${algorithm}`)).diff, await printed(algorithm), algorithm);
    for (const algorithm of ['patience', 'MYERS'])
      isError(t, await forge.anonymous.get(`${path}?algorithm=${algorithm}`), 400, 'validation_failed', algorithm);
  });

  await t.test(
    'the diff of unrelated histories is against the target itself; without changes there are no files',
    async (t) => {
      const { work, path, push } = await proposal(t, forge, alice, 'strange', { a: '1\n' }, written({ a: '2\n' }));
      await work.git('checkout', '--quiet', '--orphan', 'other');
      await work.commit('Alone', { b: '1\n' });
      await work.git('branch', '--force', 'topic', 'other');
      await push('topic');
      await forge.forge.drained();
      const strange = await fetched(path);
      t.equal(strange.diff, await work.git('diff', '--full-index', '-M', 'main', 'topic'), 'against the target itself');
      t.equal(strange.commits_count, 1);
      const empty = await proposal(t, forge, alice, 'nothing', { a: '1\n' }, (tree) => tree.commit('Nothing', {}));
      const nothing = await fetched(empty.path);
      t.match(nothing, { diff: '', diff_suppressed: false, additions: 0, deletions: 0, commits_count: 1 });
      t.notOk('files' in nothing, 'without files the member is omitted');
    },
  );

  await t.test('binary_files_only', async (t) => {
    const bytes = (last: number) => new Uint8Array([0, 1, last]);
    const { path } = await proposal(t, forge, alice, 'binary', { a: bytes(1) }, written({ a: bytes(2), b: bytes(3) }));
    const request = await fetched(path);
    t.match(request, { ...suppressed('binary_files_only'), additions: 0, deletions: 0, commits_count: 1 });
    t.same(
      request.files?.map((file) => [file.new_path, file.is_binary, file.suppressed_reason]),
      [
        ['a', true, 'binary_files_only'],
        ['b', true, 'binary_files_only'],
      ],
    );
  });
});

void t.test('the caps of the operator', async (t) => {
  const diff_caps = { max_file_bytes: 1000, max_total_bytes: 2500, max_file_lines: 20, max_files: 4 };
  const forge = await startTestForge(t, {
    configuration: { plugins: { merges: { diff_caps, diff_algorithm: 'histogram' } } },
  });
  const alice = await forge.createUser('alice');
  const fetched = async (name: string, files: Readonly<Record<string, string | Uint8Array>>) => {
    const { path, work } = await proposal(t, forge, alice, name, { begin: 'x\n' }, written(files));
    const { body } = await forge.anonymous.get(path);
    t.match(body, { diff_caps, commits_count: 1 }, name);
    return { request: body as DiffJson, path, work };
  };
  const wide = `${'x'.repeat(700)}\n`;
  const told = ({ files = [] }: DiffJson) => files.map((file) => [file.new_path, file.suppressed_reason]);

  await t.test('within the caps everything is shown, by the algorithm of the operator', async (t) => {
    const { request, work } = await fetched('within', { a: 'a\nb\nc\na\nb\nb\na\n', b: 'y\n' });
    t.equal(request.diff, await work.git('diff', '--full-index', '--histogram', 'main', 'topic'));
  });

  await t.test('diff_too_large: one file, by bytes, by lines, or binary', async (t) => {
    const byBytes = await fetched('bytes', { a: `${wide}${wide}`, b: 'y\n' });
    t.match(byBytes.request, { ...suppressed('diff_too_large'), additions: 3 });
    t.same(told(byBytes.request), [
      ['a', 'diff_too_large'],
      ['b', undefined],
    ]);
    const byLines = await fetched('lines', { a: 'y\n'.repeat(21), b: 'y\n'.repeat(19) });
    t.match(byLines.request, { ...suppressed('diff_too_large'), additions: 40 });
    t.same(told(byLines.request), [
      ['a', 'diff_too_large'],
      ['b', undefined],
    ]);
    const byContent = await fetched('content', { a: new Uint8Array(1001), b: 'y\n' });
    t.match(byContent.request, { ...suppressed('diff_too_large'), additions: 1 });
    t.same(told(byContent.request), [
      ['a', 'binary_files_only'],
      ['b', undefined],
    ]);
  });

  await t.test('total_size_cap: the first files are shown, and each other file when it is fetched alone', async (t) => {
    const { request, path } = await fetched('total', { a: wide, b: wide, c: wide });
    t.match(request, { ...suppressed('total_size_cap'), additions: 3 });
    t.same(told(request), [
      ['a', undefined],
      ['b', undefined],
      ['c', 'total_size_cap'],
    ]);
    const { body } = await forge.anonymous.get(`${path}/files/c`);
    t.match(body, { new_path: 'c', suppressed: false, hunks: [{ lines: [{ op: '+', content: wide.trim() }] }] });
  });

  await t.test('file_count_cap: the files can still be paged, and each can be fetched alone', async (t) => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const { request, path } = await fetched('count', Object.fromEntries(names.map((name) => [name, 'y\n'])));
    t.match(request, { ...suppressed('file_count_cap'), additions: 5 });
    t.notOk('files' in request);
    t.match((await forge.anonymous.get(`${path}/files?per_page=2&page=3`)).body, {
      files: [{ new_path: 'e', suppressed: true, suppressed_reason: 'file_count_cap' }],
      total: 5,
      page: 3,
      per_page: 2,
    });
    t.match((await forge.anonymous.get(`${path}/files/e`)).body, { suppressed: false, hunks: [{ new_lines: 1 }] });
  });
});

void t.test('a diff that cannot be made is suppressed, and its files answer 503 with the reason', async (t) => {
  const folder = await temporaryFolder(t);
  const program = join(folder, 'git');
  /** Replaces the file, because writing a program that is being started fails with ETXTBSY. */
  const replace = async (script: string): Promise<void> => {
    await writeFile(`${program}.new`, `#!/bin/sh\n${script}exec git "$@"\n`, { mode: 0o755 });
    await rename(`${program}.new`, program);
  };
  await replace('');
  const forge = await startTestForge(t, { environment: { HEXFORGE_GIT_PATH: program } });
  const alice = await forge.createUser('alice');
  const { path, work, push } = await proposal(t, forge, alice, 'code', { a: '1\n' }, written({ a: '2\n' }));
  /** Pushes a new commit, because earlier comparisons are cached. */
  const moved = async (content: string): Promise<void> => {
    await work.commit('Move', { a: content });
    await push('topic');
    await forge.forge.drained();
  };
  const refused = async (t: Test, reason: string): Promise<void> => {
    const { status, body } = await forge.anonymous.get(path);
    t.equal(status, 200, reason);
    t.match(body, { ...suppressed(reason), commits_count: 0, additions: 0, deletions: 0 });
    for (const below of ['files', 'files/a']) {
      const answer = await forge.anonymous.get(`${path}/${below}`);
      isError(t, answer, 503, 'unavailable', `${reason}: ${below}`);
      t.match(answer.body, { suppressed_reason: reason });
    }
  };

  await t.test('git_backend_unavailable', async (t) => {
    await moved('3\n');
    await rename(program, `${program}.away`);
    await refused(t, 'git_backend_unavailable');
    await rename(`${program}.away`, program);
  });

  await thorough(t).test(
    'while git still computes a slow diff it is git_backend_unavailable; afterwards it is shown',
    async (t) => {
      await moved('3.5\n');
      await replace('case "$*" in *diff-tree*) sleep 4;; esac\n');
      const began = performance.now();
      t.match((await forge.anonymous.get(path)).body, suppressed('git_backend_unavailable'));
      const answer = await forge.anonymous.get(`${path}/files`);
      t.ok(performance.now() - began < 3900, 'neither request waits until the git process ends');
      isError(t, answer, 503, 'unavailable', 'files');
      t.equal(answer.headers.get('retry-after'), '2');
      const until = performance.now() + 15_000;
      while ((await forge.anonymous.get(`${path}/files`)).status === 503 && performance.now() < until);
      t.match((await forge.anonymous.get(path)).body, { diff_suppressed: false, additions: 1 });
      await replace('');
    },
  );

  await t.test('compare_branches_failed', async (t) => {
    await moved('4\n');
    await replace('case "$*" in *diff-tree*) exit 3;; esac\n');
    await refused(t, 'compare_branches_failed');
    await replace('');
    t.match(
      (await forge.anonymous.get(path)).body,
      { diff_suppressed: false, additions: 1 },
      'the diff is available again',
    );
    t.equal((await alice.client.delete('/api/v1/repos/alice/code/branches/topic')).status, 204);
    await forge.forge.drained();
    t.match((await forge.anonymous.get(path)).body, { diff_suppressed: false, additions: 1 }, 'without its source');
  });

  await t.test('repository_lookup_failed', async (t) => {
    const root = join(forge.dataDir, 'repositories');
    for (const shard of await readdir(root))
      if (/^[0-9a-f]{2}$/.test(shard)) await rm(join(root, shard), { recursive: true });
    await refused(t, 'repository_lookup_failed');
  });
});
