// Tests of hostile arguments and hostile content: nothing escapes the repository, breaks the server or deceives.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { hostileTexts } from '#test/support/clients/hostile-texts';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';
import { call, data, endpointOf, failed, listed, makeRepository, message, namesOf, send } from './wire.ts';

const full = 'owner/code';

/** Values that are no text, number or list of the right kind. */
const wrong: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  [],
  ['a'],
  {},
  { toString: 'x' },
  { length: 1e9 },
  [[[[]]]],
];

const hostilePaths = [
  '..',
  '../..',
  '../../etc/passwd',
  'a/../../b',
  'src/../../../x',
  '/etc/passwd',
  '//etc/passwd',
  '.git/config',
  'a/.git/config',
  '.GIT/config',
  'C:\\windows',
  '..\\..\\x',
  '%2e%2e/x',
  ':(exclude)*',
  ':/',
  ':!a',
  '*',
  '--output=x',
  '-x',
  '$(id)',
  '`id`',
  '|id',
  'a\nb',
  'a\0b',
  '\u001b[31m',
  '\u202e',
  'a'.repeat(4096),
  'a/'.repeat(2000).concat('a'),
  '\ud800',
  '{}',
  '__proto__',
  'constructor',
];

void t.test('paths and refs never leave the repository, and git takes none for an option', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'code');
  const content = Buffer.from('secret\n').toString('base64');
  await owner.client.put(`/api/v1/repos/${full}/contents/a.txt`, { body: { message: 'Add', content } });
  const { client } = owner;
  for (const path of hostilePaths) {
    for (const [name, args] of [
      ['read_file', { path }],
      ['list_tree', { path }],
      ['list_tree', { path, recursive: true }],
      ['get_file_at_two_refs_diff', { path, base: 'main', head: 'main' }],
    ] as const)
      t.type(await failed(client, full, name, args), 'string', `${name} ${JSON.stringify(path)}`);
    const history = await call(client, full, 'list_commits', { path });
    const commits = (history.structuredContent?.['commits'] ?? []) as readonly object[];
    t.equal(commits.length, 0, `history: ${path}`);
    for (const [name, args] of [
      ['read_file', { path: 'a.txt', ref: path }],
      ['list_tree', { ref: path }],
      ['list_commits', { ref: path }],
      ['show_commit', { sha: path }],
      ['get_file_at_two_refs_diff', { path: 'a.txt', base: path, head: 'main' }],
      ['get_file_at_two_refs_diff', { path: 'a.txt', base: 'main', head: path }],
    ] as const)
      t.type(await failed(client, full, name, args), 'string', `${name} at ${JSON.stringify(path)}`);
  }
});

void t.test('every argument of every tool with values of the wrong kind: a sentence, never an error', async (t) => {
  const forge = await sharedForge(t);
  const { client } = await forge.createUser('owner');
  await makeRepository(client, 'code');
  let sent = 0;
  for (const { name, inputSchema } of await listed(client, full)) {
    const properties = Object.keys((inputSchema['properties'] ?? {}) as object);
    for (const [index, member] of [...properties, 'unknown', 'constructor', 'toString', 'hasOwnProperty'].entries()) {
      // A quarter of the texts an argument, because all of them go the same way.
      for (const value of [...wrong, ...hostileTexts.filter((_, at) => at % 4 === index % 4)]) {
        const answer = await send(client, full, message('tools/call', { name, arguments: { [member]: value } }));
        const { result } = answer.body as { readonly result?: { readonly isError?: boolean } };
        t.ok(
          answer.status === 200 && result !== undefined,
          `${name} ${member} ${JSON.stringify(value)}: ${answer.text}`,
        );
        t.notMatch(answer.text, /request id/, `${name} ${member} ${JSON.stringify(value)}`);
        if (!properties.includes(member)) t.equal(result?.isError, true, 'unknown arguments are refused');
        sent += 1;
      }
    }
    for (const args of ['text', 5, true, [], [1]]) {
      const text = await failed(client, full, name, args);
      t.match(text, /"arguments" must be of type object/, `${name} ${JSON.stringify(args)}`);
    }
  }
  t.ok(sent > 1000);
});

void t.test('prototype keys in arguments change nothing', async (t) => {
  const forge = await sharedForge(t);
  const { client } = await forge.createUser('owner');
  await makeRepository(client, 'code');
  const raw = (args: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tree","arguments":${args}}}`;
  for (const args of [
    '{"__proto__":{"path":"x"}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"path":{"__proto__":{"polluted":1}}}',
  ]) {
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await client.post(endpointOf(full), { raw: raw(args), headers });
    const { result } = body as { readonly result?: { readonly isError?: boolean } };
    t.ok(status === 400 || result?.isError === true, args);
  }
  t.notOk('polluted' in {});
  t.ok((await namesOf(client, full)).length > 10, 'the server goes on');
});

void t.test('control characters, escapes of terminals and hidden directions are removed from every text', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'code');
  const { client } = owner;
  const dirty = 'a\u001b[31mred\u0007\u0008b\u009b0m\u007fc\rd\te\u202ef\u2066g\u{e0041}h';
  const clean = 'a[31mredb0mcd\tefgh';
  // oxlint-disable-next-line no-control-regex
  const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
  const home = await stockGit(t, { GIT_AUTHOR_NAME: 'Eve\u001b[2J', GIT_AUTHOR_EMAIL: 'eve\u202e@example.org' });
  const work = await workTree(home, 'dirty');
  const name = 'na\u001b[1mme\u202e.txt';
  await symlink('target\u001b[0m', join(work.folder, 'link'));
  await work.git('add', 'link');
  const sha = await work.commit(`Subject ${dirty}\n\nBody ${dirty}`, { 'a.txt': `${dirty}\n`, [name]: 'x' });
  await work.git('tag', '--annotate', '--message', `Tag ${dirty}`, 'v1');
  await work.commit('Second', { 'a.txt': `${dirty}\nmore ${dirty}\n` });
  await work.git('push', '--quiet', remote(forge.url, full, owner), '--all');
  await work.git('push', '--quiet', remote(forge.url, full, owner), '--tags');
  const issue = {
    title: `Title ${dirty.replace('\r', '')}`,
    description: dirty,
    issue_type_id: '00000000-0000-4000-8000-000000000003',
  };
  const opened = await client.post(`/api/v1/repos/${full}/issues`, { body: issue });
  if (opened.status === 201) await client.post(`/api/v1/repos/${full}/issues/1/comments`, { body: { body: dirty } });

  t.match(await data(client, full, 'read_file', { path: 'a.txt' }), { content: `${clean}\nmore ${clean}\n` });
  t.match(await data(client, full, 'read_file', { path: 'link' }), { content: 'target[0m' });
  t.match(await data(client, full, 'show_commit', { sha }), { message: new RegExp(`^Subject a\\[31mred`) });
  for (const [tool, args] of [
    ['list_tree', {}],
    ['list_tree', { recursive: true }],
    ['list_commits', {}],
    ['show_commit', { sha }],
    ['list_tags', {}],
    ['list_branches', {}],
    ['get_file_at_two_refs_diff', { path: 'a.txt', base: 'v1', head: 'main' }],
    ['search_issues', { query: 'Title' }],
    ['list_issues', {}],
    ...(opened.status === 201
      ? ([
          ['read_issue', { number: 1 }],
          ['list_comments', { number: 1 }],
        ] as const)
      : []),
  ] as const) {
    const { structuredContent, content } = await call(client, full, tool, args);
    for (const text of texts([structuredContent, JSON.parse(content[0]?.text ?? '')]))
      t.notMatch(text, hidden, `${tool}: ${JSON.stringify(text)}`);
  }
});

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

void t.test('large folders, commits and diffs are cut, and the note names the next step', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  await makeRepository(owner.client, 'code');
  const { client } = owner;
  const home = await stockGit(t);
  const work = await workTree(home, 'large');
  const files = Array.from({ length: 2500 }, (_, index) => [`${'long'.repeat(30)}-${index}.txt`, `${index}`] as const);
  await work.commit('Many', { ...Object.fromEntries(files), 'diff.txt': 'a\n' });
  await work.commit('A large change', { 'diff.txt': 'another line of a large file\n'.repeat(12_000) });
  await work.commit('A huge change', { 'diff.txt': 'another line of a huge file\n'.repeat(60_000) });
  await work.git('push', '--quiet', remote(forge.url, full, owner), '--all');
  const size = (result: unknown): number => JSON.stringify(result).length;

  for (const args of [{}, { recursive: true }]) {
    const tree = await data(client, full, 'list_tree', args);
    t.match(tree, { truncated: true, note: /ends at "long.*"path"/ });
    t.ok(size(tree) < 300 * 1024, `${size(tree)} bytes`);
  }
  const commit = await data(client, full, 'show_commit', { sha: (await work.git('rev-parse', 'main~2')).trim() });
  t.match(commit, { truncated: true, note: /first \d+ files/, stats: { files: 2501 } });
  t.ok(size(commit) < 300 * 1024);
  const [old, middle, last] = await Promise.all(
    ['main~2', 'main~1', 'main'].map((name) => work.git('rev-parse', name)),
  );
  const diff = (base = '', head = '') =>
    data(client, full, 'get_file_at_two_refs_diff', { path: 'diff.txt', base: base.trim(), head: head.trim() });
  const cut = await diff(old, middle);
  t.match(cut, { truncated: true, note: /shortened/, additions: 12_000 });
  t.ok(size(cut) < 300 * 1024);
  t.match(await diff(middle, last), { truncated: true, diff: '', note: /too large.*read_file/, additions: 60_000 });
});
