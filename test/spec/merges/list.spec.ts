// Tests of the list of merge requests.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { expect, repos, workshop, type MergeJson } from './workshop.ts';

interface ListJson {
  readonly items: readonly MergeJson[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
}

void t.test('the list of merge requests', async (t) => {
  const { forge, alice, bob, repository, open } = await workshop(t);
  const code = await repository('code');
  const list = async (query = '', client = forge.anonymous): Promise<ListJson> =>
    expect(await client.get(`${code}/merges${query}`), 200).body as ListJson;
  const numbers = async (query = ''): Promise<readonly number[]> =>
    (await list(query)).items.map(({ number }) => number);
  t.strictSame(await list(), { items: [], total: 0, page: 1, per_page: 25 });

  for (const name of ['b1', 'b2', 'b3', 'b4', 'b5'])
    expect(await alice.client.post(`${code}/branches`, { body: { name, base_ref: 'topic' } }), 201);
  const planned = async (what: 'labels' | 'milestones', body: object): Promise<string> =>
    (expect(await alice.client.post(`${code}/${what}`, { body }), 201).body as { readonly id: string }).id;
  const milestone_id = await planned('milestones', { title: 'First' });
  const label = await planned('labels', { name: 'Bug', color: 'd73a4a' });
  await open(code, { source_branch: 'b1' });
  await open(code, { source_branch: 'b2' });
  await open(code, { source_branch: 'b3', draft: true });
  const rich = await open(code, {
    source_branch: 'b4',
    description: 'why',
    label_ids: [label],
    assignee_ids: [bob.id],
    reviewer_ids: [bob.id],
    milestone_id,
  });
  await open(code, { source_branch: 'b5' });
  expect(await alice.client.patch(`${code}/merges/2`, { body: { state: 'closed' } }), 200);

  await t.test('newest first; open by default; every state, and all', async (t) => {
    t.strictSame(await numbers(), [5, 4, 3, 1]);
    t.strictSame(await numbers('?state='), [5, 4, 3, 1]);
    t.strictSame(await numbers('?state=open'), [5, 4, 3, 1]);
    t.strictSame(await numbers('?state=closed'), [2]);
    t.strictSame(await numbers('?state=merged'), []);
    t.strictSame(await numbers('?state=all'), [5, 4, 3, 2, 1]);
    for (const state of ['Open', 'reopened', 'opened'])
      isError(t, await forge.anonymous.get(`${code}/merges?state=${state}`), 400, 'validation_failed', state);
  });

  await t.test('per_page is clamped to 1 and 100', async (t) => {
    t.match(await list('?per_page=2&page=2'), {
      items: [{ number: 3 }, { number: 1 }],
      total: 4,
      page: 2,
      per_page: 2,
    });
    for (const [asked, given] of [
      ['0', 1],
      ['-3', 1],
      ['101', 100],
      ['100000', 100],
      ['x', 25],
      ['', 25],
      ['1.5', 25],
    ] as const)
      t.equal((await list(`?per_page=${asked}`)).per_page, given, asked);
    for (const asked of ['0', '-1', 'x', '']) t.equal((await list(`?page=${asked}`)).page, 1, asked);
    t.match(await list('?page=9'), { items: [], total: 4, page: 9 });
  });

  await t.test('items have no reviewers, labels, counts or diff, and otherwise all members', async (t) => {
    const item = (await list()).items.find(({ number }) => number === 4);
    const { files: _files, diff_caps: _caps, ...whole } = rich;
    t.strictSame(item, {
      ...whole,
      reviewers: [],
      labels: [],
      commits_count: 0,
      additions: 0,
      deletions: 0,
      diff: '',
    });
  });

  await t.test(
    'anonymous callers read public repositories; 404 for others if a repository is private or missing',
    async (t) => {
      t.equal((await list('', bob.client)).total, 4);
      const hidden = await repository('hidden', 'private');
      for (const path of [hidden, `${repos}/alice/none`])
        for (const client of [bob.client, forge.anonymous])
          isError(t, await client.get(`${path}/merges`), 404, 'not_found', path);
      t.equal(expect(await alice.client.get(`${hidden}/merges`), 200).status, 200);
    },
  );
});
