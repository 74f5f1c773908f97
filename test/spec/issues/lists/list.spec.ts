// Tests of the list of issues: pages, each filter, and invalid values.
import t from 'tap';
import { expect, nobody, repos, tracker, types } from '../tracker.ts';

interface Page {
  readonly items: readonly { readonly number: number; readonly [member: string]: unknown }[];
  readonly total: number;
}

void t.test('the list of issues', async (t) => {
  const { forge, alice, bob, repository, open } = await tracker(t);
  const issues = await repository('code');
  const made = async (what: string, body: object): Promise<string> =>
    (expect(await alice.client.post(`${repos}/alice/code/${what}`, { body }), 201).body as { readonly id: string }).id;
  const later = await made('labels', { name: 'Later', color: '00ff00' });
  const first = await made('milestones', { title: 'First' });
  const today = new Date().toISOString().slice(0, 10);
  await open(issues, { title: 'Login fails', description: 'the server crashed', issue_type_id: types.bug });
  await open(issues, { priority: 'high', label_ids: [later], milestone_id: first, due_date: '2020-01-01' });
  const third = await open(issues, {
    story_points: 5,
    input_tokens: 100,
    output_tokens: 0,
    due_date: today,
    assignee_ids: [bob.id],
  });
  await open(issues, { parent_id: third.id, story_points: 8, issue_status: 'blocked', due_date: '2020-01-01' });
  expect(await alice.client.post(`${issues}/4/close`), 204);

  const page = async (query: string, client = forge.anonymous): Promise<Page> =>
    expect(await client.get(`${issues}?${query}`), 200).body as Page;

  await t.test('items have the members of a fetched issue except watching and blocked_by', async (t) => {
    for (const item of (await page('', bob.client)).items) {
      const { watching, blocked_by, ...whole } = (await bob.client.get(`${issues}/${item.number}`)).body as Record<
        string,
        unknown
      >;
      t.strictSame(item, { ...whole, watchers_count: 0 });
      t.same([watching, blocked_by], [false, []]);
    }
  });

  await t.test('each filter', async (t) => {
    for (const [query, numbers] of Object.entries({
      '': [4, 3, 2, 1],
      'state=all': [4, 3, 2, 1],
      'state=open': [3, 2, 1],
      'state=closed': [4],
      'status=blocked': [4],
      'status=queued': [3, 2, 1],
      'type=bug': [1],
      'type=nothing': [],
      'priority=high': [2],
      'label=later': [2],
      'label=nothing': [],
      'author=ALICE': [4, 3, 2, 1],
      'author=bob': [],
      'author=nobody': [],
      'assignee=ALICE': [3],
      'assignee=bob': [],
      'assignee=nobody': [],
      'sort=newest': [4, 3, 2, 1],
      'sort=oldest': [1, 2, 3, 4],
      'sort=oldest&state=open': [1, 2, 3],
      [`milestone_id=${first}`]: [2],
      [`milestone_id=${nobody}`]: [],
      'has_parent=true': [4],
      'has_parent=false': [3, 2, 1],
      'q=LOGIN': [1],
      'q=crashed%20server': [1],
      'q=%25': [],
      'due_before=2020-01-01': [4, 2],
      'due_before=2019-12-31': [],
      [`due_after=${today}`]: [3],
      'due_after=2020-01-02&due_before=2999-01-01': [3],
      'overdue=true': [2],
      'overdue=false': [4, 3, 1],
      'story_points_min=5': [4, 3],
      'story_points_max=5': [3],
      'unestimated=true': [2, 1],
      'unestimated=false': [4, 3],
      'tokens_min=100&tokens_max=100': [3],
      'tokens_min=101': [],
      'untokenized=true': [4, 2, 1],
      'output_tokens_min=0': [3],
      'output_tokens_max=0': [3],
      'no_output_tokens=true': [4, 2, 1],
      'state=&type=&q=&overdue=': [4, 3, 2, 1],
      'state=open&has_parent=false&unestimated=true&priority=high': [2],
      'unknown=1': [4, 3, 2, 1],
    })) {
      const { items, total } = await page(query);
      t.strictSame(
        items.map(({ number }) => number),
        numbers,
        query,
      );
      t.equal(total, numbers.length, query);
    }
  });

  await t.test('400 for an invalid value of a filter', async (t) => {
    for (const query of [
      'state=merged',
      'status=open',
      'priority=urgent',
      'milestone_id=first',
      'has_parent=maybe',
      'due_before=2026-02-30',
      'due_after=soon',
      'overdue=1',
      'sort=number',
      'story_points_min=-1',
      'story_points_max=x',
      'tokens_min=1.5',
      `q=${'x'.repeat(257)}`,
    ])
      t.equal((await forge.anonymous.get(`${issues}?${query}`)).status, 400, query);
  });

  await t.test('per_page may be any positive number; it is 25 by default and for any other value', async (t) => {
    const sized = async (query: string) => {
      const { items, ...rest } = await page(query);
      return { ...rest, items: items.map(({ number }) => number) };
    };
    t.strictSame(await sized('per_page=2&page=2'), { items: [2, 1], total: 4, page: 2, per_page: 2 });
    t.strictSame(await sized('per_page=2&page=9'), { items: [], total: 4, page: 9, per_page: 2 });
    const most = Number.MAX_SAFE_INTEGER;
    t.strictSame(
      await sized(`per_page=${most}&page=${most}`),
      { items: [], total: 4, page: most, per_page: most },
      'a page far beyond the range of the database is empty',
    );
    for (const [query, perPage] of [
      ['', 25],
      ['per_page=0', 25],
      ['per_page=-1', 25],
      ['per_page=x', 25],
      ['per_page=100000', 100_000],
    ] as const)
      t.match(await sized(query), { items: [4, 3, 2, 1], total: 4, page: 1, per_page: perPage });
  });
});
