// Tests of the tools of the family "issues" through the endpoint.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { sharedForge } from '#test/support/shared-forge';
import type { Teardown } from '#test/support/forge';
import { data, failed, makeRepository } from './wire.ts';

const full = 'owner/code';
const task = '00000000-0000-4000-8000-000000000003';

async function tracked(t: Teardown): Promise<{ readonly owner: Client; readonly client: Client }> {
  const forge = await sharedForge(t);
  const { client: owner } = await forge.createUser('owner');
  await makeRepository(owner, 'code');
  return { owner, client: await forge.pat(owner, ['mcp:read']) };
}

async function open(owner: Client, title: string, more: object = {}): Promise<number> {
  const body = { title, issue_type_id: task, ...more };
  const made = await owner.post(`/api/v1/repos/${full}/issues`, { body });
  if (made.status !== 201) throw new Error(made.text);
  return (made.body as { number: number }).number;
}

type Issues = { readonly issues: readonly { readonly number: number }[]; readonly next_cursor: string | null };
const numbers = ({ issues }: Issues): readonly number[] => issues.map(({ number }) => number);

void t.test('list_issues: by state and labels, in pages', async (t) => {
  const { owner, client } = await tracked(t);
  const label = await owner.post(`/api/v1/repos/${full}/labels`, { body: { name: 'Bug', color: 'ff0000' } });
  const { id } = label.body as { id: string };
  for (const title of ['one', 'two', 'three']) await open(owner, title, { label_ids: title === 'two' ? [id] : [] });
  await owner.post(`/api/v1/repos/${full}/issues/1/close`, { body: {} });
  t.strictSame(numbers(await data(client, full, 'list_issues')), [3, 2, 1]);
  t.strictSame(numbers(await data(client, full, 'list_issues', { state: 'open' })), [3, 2]);
  t.strictSame(numbers(await data(client, full, 'list_issues', { state: 'closed' })), [1]);
  t.strictSame(numbers(await data(client, full, 'list_issues', { labels: ['bug'] })), [2]);
  const first = await data<Issues>(client, full, 'list_issues', { limit: 2 });
  t.strictSame(numbers(first), [3, 2]);
  t.strictSame(numbers(await data(client, full, 'list_issues', { cursor: first.next_cursor })), [1]);
});

void t.test('read_issue, list_comments and search_issues', async (t) => {
  const { owner, client } = await tracked(t);
  await open(owner, 'The login fails', { description: 'After an upgrade the password is rejected' });
  for (const body of ['first', 'second'])
    t.equal((await owner.post(`/api/v1/repos/${full}/issues/1/comments`, { body: { body } })).status, 201);
  const issue = await data(client, full, 'read_issue', { number: 1 });
  t.match(issue, { number: 1, title: 'The login fails', description: /After an upgrade/ });
  t.notMatch(JSON.stringify(issue), /second/, 'comments are not included');
  const comments = await data(client, full, 'list_comments', { number: 1, limit: 1 });
  t.match(comments, { comments: [{ body: 'first' }], next_cursor: /./ });
  t.match(await data(client, full, 'list_comments', { number: 1, cursor: comments['next_cursor'] }), {
    comments: [{ body: 'second' }],
    next_cursor: null,
  });
  t.match(await data(client, full, 'search_issues', { query: 'password upgrade' }), { issues: [{ number: 1 }] });
  t.match(await data(client, full, 'search_issues', { query: 'nothing like it' }), { issues: [] });
});

void t.test('wrong arguments are results with a sentence that names the remedy', async (t) => {
  const { owner, client } = await tracked(t);
  await open(owner, 'one');
  for (const [name, args, said] of [
    ['read_issue', { number: 99 }, /no issue 99.*list_issues/],
    ['list_comments', { number: 99 }, /no issue 99.*list_issues/],
    ['read_issue', {}, /"number" is required/],
    ['read_issue', { number: 'ABC-1' }, /"number" must be a number/],
    ['read_issue', { number: 0 }, /"number" must be greater than or equal to 1/],
    ['list_issues', { state: 'merged' }, /"state" must be one of \[open, closed, all\]/],
    ['list_issues', { labels: 'bug' }, /"labels" must be an array/],
    ['list_issues', { sort: 'newest' }, /Argument "sort" is not allowed/],
    ['list_issues', { cursor: 'abc' }, /cursor is none that list_issues gave.*next_cursor/],
    ['list_issues', { limit: 0 }, /"limit" must be greater than or equal to 1/],
    ['list_issues', { limit: 101 }, /"limit" must be less than or equal to 100/],
    ['search_issues', { query: '' }, /"query" is not allowed to be empty/],
  ] as const)
    t.match(await failed(client, full, name, args), said, `${name} ${JSON.stringify(args)}`);
});

void t.test('a cursor is good for its own list alone', async (t) => {
  const { owner, client } = await tracked(t);
  for (const title of ['one', 'two']) await open(owner, title);
  const { next_cursor: cursor } = await data<Issues>(client, full, 'list_issues', { limit: 1 });
  for (const [name, args] of [
    ['list_comments', { number: 1 }],
    ['list_branches', {}],
    ['list_tags', {}],
    ['list_commits', {}],
  ] as const)
    t.match(await failed(client, full, name, { ...args, cursor }), new RegExp(`none that ${name} gave`), name);
  const text = Buffer.from(String(cursor), 'base64url').toString();
  for (const forged of [
    `${text} `,
    text.replace('list_', ''),
    `${text}9999999999`,
    'list_issues -1',
    'list_issues 1e3',
  ])
    t.match(
      await failed(client, full, 'list_issues', { cursor: Buffer.from(forged).toString('base64url') }),
      /none that list_issues gave/,
      forged,
    );
  t.match(await failed(client, full, 'list_issues', { cursor: `${cursor}=` }), /none that list_issues gave/);
});

void t.test('comments over 256 KiB together are shortened, and the result has a note', async (t) => {
  const { owner, client } = await tracked(t);
  await open(owner, 'one');
  const long = 'word '.repeat(13_000);
  for (let made = 0; made < 6; made += 1)
    await owner.post(`/api/v1/repos/${full}/issues/1/comments`, { body: { body: long } });
  const all = await data(client, full, 'list_comments', { number: 1 });
  t.match(all, { truncated: true, note: /shortened.*"limit"/, comments: { length: 6 } });
  const bodies = (all['comments'] as readonly { readonly body: string }[]).map(({ body }) => body);
  t.ok(bodies.every((body) => body.endsWith('…') && body.length > 40_000));
  t.ok(bodies.join('').length <= 272 * 1024);
  const one = await data(client, full, 'list_comments', { number: 1, limit: 1 });
  t.match(one, { comments: [{ body: long.trim() }] }, 'a single one is whole');
  t.notOk('truncated' in one);
});
