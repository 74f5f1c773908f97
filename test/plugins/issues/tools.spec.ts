// The MCP tools and the indexer of issues: called through their registries, without an endpoint, on in-memory stores.
import t from 'tap';
import type { Caller } from '#core/kernel/caller';
import { issueTools } from '#plugins/issues/tools';
import { issueIndexer } from '#plugins/issues/indexer';
import { alice, bob, refusal, world } from '#test/core/issues/world';
import { startTestForge } from '#test/support/forge';

type World = Awaited<ReturnType<typeof world>>;

/** Calls a tool like an endpoint, and validates arguments and answer with its schemas. */
const caller =
  (forge: World, who: Caller = alice) =>
  async (name: string, given: object): Promise<Readonly<Record<string, unknown>>> => {
    const found = issueTools(forge.useCases).find((one) => one.name === name);
    if (found?.input === undefined) throw new Error(`there is no tool "${name}" with arguments`);
    const { value, error } = found.input.validate(given);
    if (error !== undefined) throw error;
    const granted = await forge.reading(who);
    const answer = await found.run(granted.call as never, { input: value, granted } as never);
    // Ids of users are not uuids in this spec.
    const { error: wrong } = found.output.validate(answer, { convert: false, abortEarly: false });
    const details = wrong?.details.filter(({ type }) => type !== 'string.pattern.name') ?? [];
    if (details.length > 0) throw new Error(details.map(({ message }) => message).join());
    return answer as Readonly<Record<string, unknown>>;
  };

const cursorAt = (position: string): string => Buffer.from(`list_issues ${position}`).toString('base64url');

const numbersOf = ({ issues }: Readonly<Record<string, unknown>>) =>
  (issues as readonly { readonly number: number }[]).map(({ number }) => number);

void t.test('list_issues: by state and labels, in pages that do not shift when issues are opened', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const call = caller(forge);
  for (const labelIds of [['Bug-label'], [], ['Bug-label', 'Later-label'], ['Later-label']])
    await forge.open({ labelIds });
  await forge.useCases.close(await forge.as(alice), { number: '2' });

  const first = await call('list_issues', { limit: 2 });
  t.strictSame(numbersOf(first), [4, 3]);
  await forge.open();
  const second = await call('list_issues', { limit: 2, cursor: first['next_cursor'] });
  t.strictSame(numbersOf(second), [2, 1]);
  t.equal(second['next_cursor'], null);
  t.match((first['issues'] as readonly object[])[0], {
    number: 4,
    title: 'An issue',
    state: 'open',
    type: 'task',
    labels: ['Later'],
    author: 'alice',
    assignees: [],
  });

  t.strictSame(numbersOf(await call('list_issues', { state: 'closed' })), [2]);
  t.strictSame(numbersOf(await call('list_issues', { state: 'all' })), [5, 4, 3, 2, 1]);
  t.strictSame(numbersOf(await call('list_issues', { labels: ['later'] })), [4, 3]);
  t.strictSame(numbersOf(await call('list_issues', { labels: ['later', 'BUG'] })), [3]);
  t.strictSame(await call('list_issues', { labels: ['absent'] }), { issues: [], next_cursor: null });
  for (const given of [{ limit: 0 }, { limit: 101 }, { state: 'merged' }, { unknown: 1 }, { cursor: '' }])
    await t.rejects(call('list_issues', given), { name: 'ValidationError' }, JSON.stringify(given));
  for (const cursor of ['x', ...['99999999999', '2147483648', '1 '].map(cursorAt)])
    await t.rejects(call('list_issues', { cursor }), refusal('validation_failed', /next_cursor/));
});

void t.test('read_issue: the same issue as in issueFetch', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { id } = await forge.open({ title: 'Login', description: 'text' });
  const call = caller(forge, bob);
  t.match(await call('read_issue', { number: 1 }), {
    id,
    number: 1,
    title: 'Login',
    description: 'text',
    watching: false,
  });
  await t.rejects(call('read_issue', { number: 2 }), refusal('not_found'));
  for (const number of [0, 1.5, 2 ** 31, 'ABC-1'])
    await t.rejects(call('read_issue', { number }), { name: 'ValidationError' }, String(number));
});

void t.test('list_comments: oldest first, in pages that stay correct when comments are added or deleted', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.open();
  await forge.open();
  const { comments } = forge.useCases;
  const say = async (body: string, second: number, number = '1') => {
    const granted = await forge.as(bob);
    const call = { ...granted.call, now: new Date(Date.UTC(2026, 0, 2, 3, 4, second)) };
    return comments.create({ ...granted, call } as typeof granted, { number, body });
  };
  // Some with the same time, so that they are ordered by id.
  const said: { readonly id: string }[] = [];
  for (const [body, second] of [...'abcde'].map((letter, index) => [letter, index < 3 ? 1 : 2] as const))
    said.push(await say(body, second));
  await say('elsewhere', 1, '2');
  const call = caller(forge);
  const bodies = (answer: Readonly<Record<string, unknown>>) =>
    (answer['comments'] as readonly { readonly body: string }[]).map(({ body }) => body).join('');

  const first = await call('list_comments', { number: 1, limit: 2 });
  t.match(first, {
    comments: [
      { id: said[0]?.id, body: 'a', author: { username: 'bob' }, created_at: '2026-01-02T03:04:01.000Z' },
      { body: 'b' },
    ],
    next_cursor: /^[\w-]+$/,
  });
  for (const gone of [0, 1]) await comments.delete(await forge.as(bob), { number: '1', id: said[gone]?.id ?? '' });
  await say('f', 3);
  const second = await call('list_comments', { number: 1, limit: 3, cursor: first['next_cursor'] });
  t.equal(bodies(second), 'cde', 'deletions do not shift the page, and the limit may change');
  const third = await call('list_comments', { number: 1, limit: 1, cursor: second['next_cursor'] });
  t.equal(bodies(third), 'f', 'added comments are at the end');
  t.equal(third['next_cursor'], null);
  t.equal(bodies(await call('list_comments', { number: 1 })), 'cdef');

  for (let made = 0; made < 30; made++) await say('x', 4, '2');
  const byDefault = await call('list_comments', { number: 2 });
  t.equal(bodies(byDefault).length, 'elsewhere'.length + 29, '30 by default');
  t.equal(bodies(await call('list_comments', { number: 2, limit: 100 })).length, 'elsewhere'.length + 30);

  await t.rejects(call('list_comments', { number: 3 }), refusal('not_found'));
  for (const given of [{}, { number: 0 }, { number: 1, limit: 0 }, { number: 1, limit: 101 }, { number: 1, id: 'x' }])
    await t.rejects(call('list_comments', given), { name: 'ValidationError' }, JSON.stringify(given));
  const position = (text: string) => Buffer.from(text).toString('base64url');
  const { next_cursor: ofIssues } = await call('list_issues', { limit: 1 });
  const id = said[0]?.id ?? '';
  for (const cursor of [
    'x',
    ofIssues,
    position('list_comments 1'),
    position(`list_comments 1 ${'x'.repeat(36)}`),
    position(`list_comments 999999999999999 ${id}`),
    position(`list_comments -1 ${id}`),
  ])
    await t.rejects(
      call('list_comments', { number: 1, cursor }),
      refusal('validation_failed', /next_cursor/),
      String(cursor),
    );
  await t.rejects(call('list_issues', { cursor: first['next_cursor'] }), refusal('validation_failed', /next_cursor/));
});

void t.test('search_issues: the best match first', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.open({ title: 'Other', description: 'the login' });
  await forge.open({ title: 'Login' });
  const call = caller(forge);
  const answer = await call('search_issues', { query: 'login' });
  t.strictSame(numbersOf(answer), [2, 1]);
  t.match(answer, { issues: [{ rank: Number }] });
  t.strictSame(numbersOf(await call('search_issues', { query: 'login', limit: 1 })), [2]);
  t.strictSame(await call('search_issues', { query: 'absent' }), { issues: [] });
  await t.rejects(call('search_issues', {}), { name: 'ValidationError' });
});

void t.test('the indexer names the issue of an event, and reads one issue or all of a repository', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { id } = await forge.open({ title: 'Login', description: `a\n\n b ${'x'.repeat(500)}` });
  const indexer = issueIndexer(forge.useCases);
  const fact = { repository_id: forge.code.id, issue_id: id, number: 1 };
  for (const type of indexer.follows)
    t.strictSame(indexer.touched({ type, payload: fact } as never), [{ repositoryId: forge.code.id, key: '1' }], type);
  t.match(await indexer.document(forge.code.id, '1'), {
    key: '1',
    title: 'Login',
    source: { number: 1, state: 'open', snippet: /^a b x+$/ },
  });
  for (let count = 2; count <= 101; count++) await forge.open();
  const all = await Array.fromAsync(indexer.documents(forge.code.id));
  t.equal(all.length, 101, 'more than are read at a time');
  for (const { source } of all) t.equal(indexer.source.validate(source).error, undefined);
  await forge.useCases.delete(await forge.owning(alice), { number: '1' });
  for (const key of ['1', '102', 'x', '', '1e3', '99999999999999'])
    t.equal(await indexer.document(forge.code.id, key), undefined, key);
  t.strictSame(await Array.fromAsync(indexer.documents('00000000-0000-4000-8000-0000000000ff')), []);
});

void t.test('tools and indexer exist only while the plugin is enabled', async (t) => {
  const names = async (environment: Readonly<Record<string, string>>) => {
    const { forge, stop } = await startTestForge(t, { database: 'memory', environment });
    const tools = forge.port('ToolRegistry').tools();
    const indexers = forge.port('IndexerRegistry').indexers();
    await stop();
    return [
      tools.filter(({ plugin }) => plugin === 'issues').map(({ tool: { family, name } }) => `${family} ${name}`),
      indexers.map(({ indexer: { name } }) => name).filter((name) => name === 'issues'),
    ];
  };
  t.strictSame(await names({}), [
    ['list_issues', 'read_issue', 'list_comments', 'search_issues'].map((name) => `issues ${name}`),
    ['issues'],
  ]);
  t.strictSame(await names({ HEXFORGE_PLUGINS: '-issues' }), [[], []]);
});
