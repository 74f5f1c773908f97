// Tests of the tools of the family "repo": their results and their failures.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { pushHistory } from '#test/support/clients/history';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';
import type { Teardown, TestForge, TestUser } from '#test/support/forge';
import { call, data, failed, makeRepository } from './wire.ts';

const full = 'owner/code';

async function withHistory(
  t: Teardown,
): Promise<{ readonly forge: TestForge; readonly owner: TestUser; readonly client: Client; readonly work: StockGit }> {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'code', 'internal');
  const work = await pushHistory(t, forge, owner, 'code');
  return { forge, owner, client: await forge.pat(owner.client, ['mcp:read']), work };
}

const oidOf = async (work: StockGit, revision: string): Promise<string> =>
  (await work.git('rev-parse', revision)).trim();

type Listed<K extends string, T> = Readonly<Record<K, readonly T[]>> & { readonly next_cursor: string | null };

/** All items of a list, read in pages. */
async function all<T>(client: Client, name: string, member: string, args: object = {}): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | null | undefined;
  do {
    const page: Listed<string, T> = await data(client, full, name, { ...args, ...(cursor && { cursor }) });
    items.push(...(page[member] ?? []));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}

void t.test('repo_info: name, default branch, description, visibility and size', async (t) => {
  const { client, owner } = await withHistory(t);
  await owner.client.patch(`/api/v1/repos/${full}`, { body: { description: 'Some code' } });
  const info = await data(client, full, 'repo_info');
  t.match(info, {
    owner: 'owner',
    name: 'code',
    description: 'Some code',
    visibility: 'internal',
    default_branch: 'main',
  });
  t.ok(Number(info['size']) > 100);
});

void t.test('list_branches: default and protected flags, in pages that do not shift', async (t) => {
  const { client, owner } = await withHistory(t);
  const rule = { allow_force_push: false, allow_deletion: false, push_roles: [], required_approvals: 0 };
  await owner.client.put(`/api/v1/repos/${full}/branches/island/protection`, { body: rule });
  type Branch = { readonly name: string };
  const names = (await all<Branch>(client, 'list_branches', 'branches', { limit: 1 })).map(({ name }) => name);
  t.strictSame(names, ['feature/x', 'island', 'main']);
  const { branches } = await data<Listed<'branches', Branch>>(client, full, 'list_branches');
  t.match(branches, [
    { name: 'feature/x', is_default: false, is_protected: false, commit_message: 'On the side' },
    { name: 'island', is_default: false, is_protected: true, sha: /^[0-9a-f]{40}$/ },
    { name: 'main', is_default: true, is_protected: false, commit_date: /Z$/ },
  ]);
  const first = await data<Listed<'branches', Branch>>(client, full, 'list_branches', { limit: 2 });
  await owner.client.delete(`/api/v1/repos/${full}/branches/feature%2Fx`);
  const second = await data<Listed<'branches', Branch>>(client, full, 'list_branches', { cursor: first.next_cursor });
  t.strictSame(
    second.branches.map(({ name }) => name),
    ['main'],
  );
});

void t.test('list_tags: the first line of the annotation', async (t) => {
  const { client, owner, work } = await withHistory(t);
  for (const body of [
    { name: 'v2', ref: 'main', message: '\nThe second\n\nwith notes' },
    { name: 'v3', ref: 'main' },
  ])
    t.equal((await owner.client.post(`/api/v1/repos/${full}/tags`, { body })).status, 201);
  const sha = await oidOf(work, 'main');
  t.match(await all(client, 'list_tags', 'tags', { limit: 2 }), [
    { name: 'v1', message: null, tagged_at: null, sha: await oidOf(work, 'v1') },
    { name: 'v2', message: 'The second', sha },
    { name: 'v3', message: null, sha },
  ]);
});

void t.test('list_tree: a folder with last commits, or everything below it', async (t) => {
  const { client, work } = await withHistory(t);
  const root = await data<{ readonly entries: readonly object[] }>(client, full, 'list_tree');
  t.match(root, { path: '', truncated: false });
  t.match(root.entries[0], {
    path: 'README.md',
    type: 'file',
    size: 6,
    last_commit_message: 'Begin',
    last_commit_sha: await oidOf(work, 'v1'),
    last_commit_date: /Z$/,
  });
  const types = new Map(
    root.entries.map((entry) => [(entry as { path: string }).path, (entry as { type: string }).type]),
  );
  t.equal(types.get('src'), 'dir');
  t.equal(types.get('link'), 'symlink');
  t.equal(types.get('sub'), 'submodule');
  for (const path of ['src', '/src', './src', 'src/', '/src/'])
    t.match(
      await data(client, full, 'list_tree', { path }),
      { path: 'src', entries: [{ path: 'src/moved.ts' }] },
      path,
    );
  for (const path of ['', '/', '.', './'])
    t.equal((await data<typeof root>(client, full, 'list_tree', { path })).entries.length, root.entries.length, path);
  const deep = await data<{ readonly entries: readonly { readonly path: string }[] }>(client, full, 'list_tree', {
    recursive: true,
    ref: 'v1',
  });
  t.strictSame(
    deep.entries.map(({ path }) => path),
    ['README.md', 'bin', 'bin/data.bin', 'src', 'src/main.ts', 'src/style.css'],
  );
  t.match(deep.entries[0], { last_commit_sha: null, last_commit_message: null });
  t.match(await failed(client, full, 'list_tree', { path: 'README.md' }), /no folder.*read_file/);
  t.match(await failed(client, full, 'list_tree', { path: 'README.md', recursive: true }), /no folder.*read_file/);
});

void t.test('read_file: whole files, ranges of lines, at a ref', async (t) => {
  const { client, work } = await withHistory(t);
  t.match(await data(client, full, 'read_file', { path: 'src/moved.ts' }), {
    path: 'src/moved.ts',
    type: 'file',
    commit_sha: await oidOf(work, 'main'),
    sha: await oidOf(work, 'main:src/moved.ts'),
    content: 'let a = 1;\nlet b = 22;\nlet c = 3;\nlet d = 4;\nlet e = 55;\n',
    start_line: 1,
    end_line: 5,
    total_lines: 5,
    truncated: false,
  });
  for (const [args, content, [start, end]] of [
    [{ start_line: 2, end_line: 3 }, 'let b = 2;\nlet c = 3;\n', [2, 3]],
    [{ start_line: 5 }, 'let e = 5;\n', [5, 5]],
    [{ end_line: 1 }, 'let a = 1;\n', [1, 1]],
    [{ start_line: 4, end_line: 400 }, 'let d = 4;\nlet e = 5;\n', [4, 5]],
  ] as const)
    t.match(
      await data(client, full, 'read_file', { path: 'src/main.ts', ref: 'v1', ...args }),
      { content, start_line: start, end_line: end, total_lines: 5, truncated: false },
      JSON.stringify(args),
    );
  t.match(await data(client, full, 'read_file', { path: 'link' }), { type: 'symlink', content: 'README.md' });
  t.match(await data(client, full, 'read_file', { path: 'größe und maß.txt' }), { content: 'ab\n' });
  t.match(await data(client, full, 'read_file', { path: 'latin.txt' }), { content: 'c\ufffd\nx', total_lines: 2 });
  t.match(await data(client, full, 'read_file', { path: 'island.go', ref: 'island' }), { content: 'package island\n' });
  t.match(await data(client, full, 'read_file', { path: 'side.py', ref: 'feature/x' }), { content: 'print(1)\n' });
});

void t.test('read_file: the failure names the remedy', async (t) => {
  const { client } = await withHistory(t);
  for (const [args, said] of [
    [{ path: 'none.txt' }, /no "none.txt".*list_tree/],
    [{ path: 'README.md', ref: 'none' }, /no branch, tag or commit "none".*list_branches/],
    [{ path: 'src' }, /is a folder.*list_tree/],
    [{ path: 'sub' }, /is a submodule/],
    [{ path: 'bin/data.bin' }, /binary file of 4 bytes/],
    [{ path: 'README.md', start_line: 9 }, /has no line 9.*1 lines/],
    [{ path: 'README.md', start_line: 3, end_line: 2 }, /"end_line" \(2\) must not be below "start_line" \(3\)/],
  ] as const)
    t.match(await failed(client, full, 'read_file', args), said, JSON.stringify(args));
});

void t.test('read_file: at most 2,000 lines and 256 KiB, and a note with the next line', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'code');
  const home = await stockGit(t);
  const work = await workTree(home, 'long');
  const line = (index: number): string => `line ${index}\n`;
  await work.commit('Long files', {
    'lines.txt': Array.from({ length: 4500 }, (_, index) => line(index + 1)).join(''),
    'exact.txt': 'x'.repeat(255).concat('\n').repeat(1024),
    'wide.txt': 'y'.repeat(1023).concat('\n').repeat(300),
    'one-line.txt': `first\n${'z'.repeat(300 * 1024)}\nlast\n`,
    'large.txt': `${'w'.repeat(99)}\n`.repeat(60_000),
    'open.txt': 'a\nb',
    'empty.txt': '',
    'blank.txt': '\n',
  });
  await work.git('push', '--quiet', remote(forge.url, full, owner), '--all');
  const { client } = owner;
  const read = (path: string, args: object = {}) => data(client, full, 'read_file', { path, ...args });

  const first = await read('lines.txt');
  t.match(first, { start_line: 1, end_line: 2000, total_lines: 4500, truncated: true, note: /"start_line": 2001/ });
  t.match(await read('lines.txt', { start_line: 2001 }), { end_line: 4000, truncated: true });
  const last = await read('lines.txt', { start_line: 4001 });
  t.match(last, { end_line: 4500, truncated: false, content: /^line 4001\n[^]*line 4500\n$/ });
  t.match(await read('lines.txt', { start_line: 100, end_line: 200 }), { end_line: 200, truncated: false });
  t.match(await read('lines.txt', { end_line: 2000 }), { end_line: 2000, truncated: false }, 'nothing is missing');

  const exact = await read('exact.txt');
  t.match([exact['truncated'], String(exact['content']).length], [false, 256 * 1024], 'exactly 256 KiB');
  const wide = await read('wide.txt');
  t.match(wide, { end_line: 256, total_lines: 300, truncated: true, note: /"start_line": 257/ });
  t.equal(String(wide['content']).length, 256 * 1024);
  t.match(await read('wide.txt', { start_line: 257 }), { end_line: 300, truncated: false });

  t.match(await read('one-line.txt'), { content: 'first\n', end_line: 1, truncated: true, note: /"start_line": 2/ });
  const cut = await read('one-line.txt', { start_line: 2 });
  t.match(cut, { start_line: 2, end_line: 2, truncated: true, note: /Line 2 is longer than 256 KiB.*"start_line": 3/ });
  t.equal(String(cut['content']).length, 256 * 1024);
  t.match(await read('one-line.txt', { start_line: 3 }), { content: 'last\n', truncated: false });

  t.match(await read('large.txt', { start_line: 59_999 }), { end_line: 60_000, truncated: false, total_lines: 60_000 });
  t.match(await read('large.txt'), { end_line: 2000, total_lines: null, truncated: true });
  t.match(await read('open.txt'), { content: 'a\nb', end_line: 2, total_lines: 2 });
  t.match(await read('empty.txt'), { content: '', start_line: 1, end_line: 0, total_lines: 0, truncated: false });
  t.match(await read('blank.txt'), { content: '\n', end_line: 1, total_lines: 1 });
});

void t.test('list_commits: of a ref, of a path, in pages that a push does not shift', async (t) => {
  const { client, work, forge, owner } = await withHistory(t);
  type Commit = { readonly sha: string };
  const listed = async (args: object): Promise<readonly string[]> =>
    (await all<Commit>(client, 'list_commits', 'commits', args)).map(({ sha }) => sha);
  const expected = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await work.git('log', '--format=%H', ...args)).trim().split('\n');
  t.strictSame(await listed({ limit: 2 }), await expected('main'));
  t.strictSame(await listed({ limit: 1, ref: 'island' }), await expected('island'));
  t.strictSame(await listed({ path: 'src/moved.ts' }), await expected('main', '--', 'src/moved.ts'));
  t.strictSame(await listed({ path: '/src/' }), await expected('main', '--', 'src'));
  t.match(await data(client, full, 'list_commits', { limit: 1, ref: 'v1' }), {
    commits: [
      {
        message: 'Begin\n\nwith a body\n\nand a tail',
        author: { name: 'Grace "Ho" O\'Per', email: 'grace+h@example.org', date: /Z$/ },
        parents: [],
      },
    ],
    next_cursor: null,
  });
  const first = await data<Listed<'commits', Commit>>(client, full, 'list_commits', { limit: 2 });
  const before = await expected('main');
  await work.commit('One more', { 'more.txt': 'more' });
  await work.git('push', '--quiet', remote(forge.url, full, owner), 'main');
  const second = await data<Listed<'commits', Commit>>(client, full, 'list_commits', { cursor: first.next_cursor });
  t.strictSame(
    second.commits.map(({ sha }) => sha),
    before.slice(2),
  );
  t.match(await failed(client, full, 'list_commits', { ref: 'none' }), /no such branch, tag or commit/);
});

void t.test('show_commit: the envelope and numbers of lines, without a patch', async (t) => {
  const { client, work } = await withHistory(t);
  const sha = await oidOf(work, 'main');
  const shown = await data(client, full, 'show_commit', { sha });
  t.match(shown, {
    sha,
    message: 'Move, remove, link',
    parents: [await oidOf(work, 'main~1')],
    committer: { name: 'Ada' },
    stats: { files: 5 },
    truncated: false,
  });
  t.match(shown['files'], [
    { path: 'bin/data.bin', status: 'modified', is_binary: true },
    { path: 'link', status: 'added', additions: 1 },
    { path: 'src/moved.ts', previous_path: 'src/main.ts', status: 'renamed', additions: 0, deletions: 0 },
    { path: 'src/style.css', status: 'removed', deletions: 1 },
    { path: 'sub', status: 'added' },
  ]);
  t.notMatch(JSON.stringify(shown), /@@/);
  t.match(await data(client, full, 'show_commit', { sha: sha.slice(0, 8) }), { sha }, 'a short id');
  t.match(await data(client, full, 'show_commit', { sha: 'feature/x' }), { message: 'On the side' }, 'a branch');
  for (const wrong of ['0000000000000000000000000000000000000000', 'zz', 'main~1', '-x', '--all', '@{1}', '..'])
    t.match(await failed(client, full, 'show_commit', { sha: wrong }), /no such branch, tag or commit/, wrong);
});

void t.test('get_file_at_two_refs_diff: a unified diff that git applies', async (t) => {
  const { client, work } = await withHistory(t);
  const diff = (args: object) => data(client, full, 'get_file_at_two_refs_diff', args);
  t.match(await diff({ path: 'src/main.ts', base: 'v1', head: 'feature/x' }), {
    path: 'src/main.ts',
    base_sha: await oidOf(work, 'v1'),
    head_sha: await oidOf(work, 'feature/x'),
    diff: /^diff --git a\/src\/main.ts b\/src\/main.ts\n[^]*@@[^]*-let b = 2;\n\+let b = 22;\n/,
    additions: 2,
    deletions: 2,
    truncated: false,
  });
  t.match(await diff({ path: 'README.md', base: 'v1', head: 'main' }), { diff: '', additions: 0 }, 'no change');
  t.match(await diff({ path: 'src/style.css', base: 'v1', head: 'main' }), { diff: /deleted file mode/ });
  t.match(await diff({ path: 'side.py', base: 'v1', head: 'main' }), { diff: /new file mode/ });
  for (const [args, said] of [
    [{ path: 'none', base: 'v1', head: 'main' }, /no "none" at either ref.*list_tree/],
    [{ path: 'src', base: 'v1', head: 'main' }, /is a folder.*show_commit/],
    [{ path: 'README.md', base: 'none', head: 'main' }, /no such branch, tag or commit/],
    [{ path: 'README.md', base: 'v1', head: '--output=x' }, /no such branch, tag or commit/],
    [{ path: 'README.md', base: 'v1' }, /"head" is required/],
  ] as const)
    t.match(await failed(client, full, 'get_file_at_two_refs_diff', args), said, JSON.stringify(args));
});

void t.test('an empty repository: empty lists, and files that are not there', async (t) => {
  const forge = await sharedForge(t);
  const { client } = await forge.createUser('owner');
  await makeRepository(client, 'code');
  t.match(await data(client, full, 'list_branches'), { branches: [], next_cursor: null });
  t.match(await data(client, full, 'list_tags'), { tags: [], next_cursor: null });
  t.match(await data(client, full, 'list_commits'), { commits: [], next_cursor: null });
  t.match(await data(client, full, 'list_tree'), { entries: [], truncated: false });
  t.match(await data(client, full, 'list_tree', { recursive: true }), { entries: [], truncated: false });
  t.match(await failed(client, full, 'read_file', { path: 'a' }), /no branch, tag or commit/);
  t.match(await call(client, full, 'repo_info'), { structuredContent: { name: 'code' } });
});

void t.test('results are the same as data and as text', async (t) => {
  const { client } = await withHistory(t);
  for (const [name, args] of [
    ['repo_info', {}],
    ['list_tree', { recursive: true }],
    ['read_file', { path: 'latin.txt' }],
  ] as const) {
    const { structuredContent, content } = await call(client, full, name, args);
    t.equal(content.length, 1);
    t.strictSame(JSON.parse(content[0]?.text ?? ''), structuredContent, name);
  }
});
