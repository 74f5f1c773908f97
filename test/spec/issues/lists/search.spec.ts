// Tests of the search of issues: what is found, in which order, its shape and bounds, and that no query fails.
import t from 'tap';
import { hostileTexts } from '#test/support/clients/hostile-texts';
import { onDatabase } from '#test/support/marks';
import { expect, repos, tracker, types, type IssueJson } from '../tracker.ts';

type Hit = IssueJson & { readonly rank: number };
type Facets = Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>;

void t.test('the search of issues', async (t) => {
  const { forge, alice, bob, repository, open } = await tracker(t);
  const issues = await repository('code');
  const label = (
    expect(
      await alice.client.post(`${repos}/alice/code/labels`, { body: { name: 'für 日本 "x"', color: '00ff00' } }),
      201,
    ).body as { readonly id: string }
  ).id;
  await open(issues, { title: 'Login fails', description: 'The server crashed', issue_type_id: types.bug });
  await open(issues, { title: 'Server room', description: 'Fails the login after 100%', label_ids: [label] });
  await open(issues, { title: 'Login page', assignee_ids: [alice.id, bob.id], label_ids: [label] });
  await open(issues, { title: 'Überlauf' });
  expect(await alice.client.post(`${issues}/3/close`), 204);
  await open(await repository('other'), { title: 'Login elsewhere' });

  const find = async (query: string, client = forge.anonymous): Promise<readonly Hit[]> =>
    expect(await client.get(`${issues}/search?${query}`), 200).body as readonly Hit[];
  const numbers = async (query: string) => (await find(query)).map(({ number }) => number);

  await t.test('a bare array of issue objects with rank, best first, titles before descriptions', async (t) => {
    const hits = await find('q=login', bob.client);
    t.strictSame(
      hits.map(({ number }) => number),
      [3, 1, 2],
    );
    for (const { rank, ...item } of hits) {
      t.ok(rank > 0 && rank <= 1, `rank ${rank}`);
      const { items } = (await bob.client.get(issues)).body as { readonly items: readonly IssueJson[] };
      t.strictSame(
        item,
        items.find(({ number }) => number === item.number),
        'otherwise as in the list',
      );
    }
    const ranks = hits.map(({ rank }) => rank);
    t.strictSame(
      ranks,
      ranks.toSorted((one, other) => other - one),
    );
  });

  await onDatabase(t).test(
    'words, phrases, alternatives and exclusions, ignoring case and in any language',
    async (t) => {
      for (const [q, found] of Object.entries({
        'SERVER login': [1, 2],
        '"login fails"': [1],
        '"fails login"': [],
        'login -page -room': [1],
        'page or room': [2, 3],
        ÜBERLAUF: [4],
        '100%': [2],
        server_room: [2],
        zzzzzz: [],
        '-login': [],
        '%': [],
        _: [],
      }))
        t.strictSame((await numbers(`q=${encodeURIComponent(q)}`)).toSorted(), found, q);
    },
  );

  await onDatabase(t).test(
    'short and misspelled words find similar titles if no issue contains the words',
    async (t) => {
      for (const [q, first] of Object.entries({ log: 3, ser: 2, se: 2, 'logn fials': 1, sevrer: 2, überlaf: 4 }))
        t.equal((await numbers(`q=${encodeURIComponent(q)}`))[0], first, q);
    },
  );

  await t.test('400 without q, or with a text past its bound', async (t) => {
    for (const query of ['', 'q=', 'q=%20%20', `q=${'x'.repeat(257)}`, 'q=a&facets=perhaps'])
      t.match(await forge.anonymous.get(`${issues}/search?${query}`), { status: 400 }, query);
  });

  await t.test('limit is 25 by default, and at most 100', async (t) => {
    const many = await repository('many');
    for (let count = 0; count < 26; count++) await open(many, { title: 'Login' });
    const length = async (query: string) =>
      ((await forge.anonymous.get(`${many}/search?q=login${query}`)).body as readonly Hit[]).length;
    for (const [query, found] of [
      ['', 25],
      ['&limit=', 25],
      ['&limit=0', 25],
      ['&limit=x', 25],
      ['&limit=2', 2],
      ['&limit=1000', 26],
    ] as const)
      t.equal(await length(query), found, query);
  });

  await t.test('facets count all matches, in a header, and the body remains the array', async (t) => {
    const answer = await forge.anonymous.get(`${issues}/search?q=login&facets=true&limit=1`);
    t.equal((answer.body as readonly Hit[]).length, 1);
    const header = answer.headers.get('x-search-facets') ?? '';
    t.match(header, /^[\x20-\x7e]+$/);
    t.strictSame(JSON.parse(header) as Facets, {
      state: [
        { value: 'open', count: 2 },
        { value: 'closed', count: 1 },
      ],
      type: [
        { value: 'task', count: 2 },
        { value: 'bug', count: 1 },
      ],
      label: [{ value: 'für 日本 "x"', count: 2 }],
      assignee: [
        { value: 'alice', count: 1 },
        { value: 'bob', count: 1 },
      ],
    });
    const none = await forge.anonymous.get(`${issues}/search?q=zzzzzz&facets=true`);
    t.strictSame(none.body, []);
    t.equal(none.headers.get('x-search-facets'), '{"state":[],"type":[],"label":[],"assignee":[]}');
    for (const query of ['', '&facets=false', '&facets='])
      t.equal((await forge.anonymous.get(`${issues}/search?q=login${query}`)).headers.get('x-search-facets'), null);
  });

  await t.test('no query fails, neither in the search nor in the list', async (t) => {
    for (const text of hostileTexts) {
      const q = encodeURIComponent(text.replaceAll('\ud800', '\ufffd'));
      const found = await forge.anonymous.get(`${issues}/search?facets=true&q=${q}`);
      // NUL is not a valid text.
      const refused = text.includes('\0') ? 400 : 200;
      t.equal(found.status, text.trim() === '' ? 400 : refused, `search ${q}`);
      t.equal((await forge.anonymous.get(`${issues}?q=${q}`)).status, refused, `list ${q}`);
    }
  });

  await t.test(
    'the list filter finds words of both texts and parts of the title, and ignores punctuation',
    async (t) => {
      for (const [q, found] of Object.entries({
        'crashed server': [1],
        'ogin pa': [3],
        '00%': [],
        '100': [2],
        '%': [],
        _: [],
        ÜBERL: [4],
      })) {
        const { items } = (await forge.anonymous.get(`${issues}?q=${encodeURIComponent(q)}`)).body as {
          readonly items: readonly IssueJson[];
        };
        t.strictSame(
          items.map(({ number }) => number),
          found,
          q,
        );
      }
    },
  );

  await t.test('a search is metered as api.expensive', async (t) => {
    const operation = forge.contract.operations.find(({ path }) => path.endsWith('/issues/search'));
    t.equal(operation?.entry['x-meter'], 'api.expensive');
  });
});
