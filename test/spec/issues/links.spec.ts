// Tests of links between issues, and of the link members of an issue.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { expect, nobody, repos, tracker } from './tracker.ts';

interface LinkJson {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly [member: string]: unknown;
}

void t.test('links', async (t) => {
  const { forge, alice, bob, repository, open } = await tracker(t);
  const issues = await repository('code', { issue_code: 'ABC' });
  const at = (number: number | string) => `${issues}/${number}/links`;
  const post = (number: number | string, type: unknown, target_number: unknown, client = alice.client) =>
    client.post(at(number), { body: { type, target_number } });
  const link = async (number: number, type: string, target: number): Promise<LinkJson> =>
    expect(await post(number, type, target), 201).body as LinkJson;
  const list = async (number: number): Promise<readonly LinkJson[]> =>
    expect(await forge.anonymous.get(at(number)), 200).body as readonly LinkJson[];
  const fetch = async (number: number) =>
    expect(await forge.anonymous.get(`${issues}/${number}`), 200).body as Readonly<Record<string, unknown>>;
  const some = async (): Promise<[number, number, number]> => [
    (await open(issues, { title: 'One' })).number,
    (await open(issues, { title: 'Two' })).number,
    (await open(issues, { title: 'Three' })).number,
  ];

  await t.test('POST answers 201 with the link; GET is a bare array on both issues, oldest first', async (t) => {
    const [one, two, three] = await some();
    t.strictSame(await list(one), []);
    const { id: source } = await fetch(one);
    const { id: target } = await fetch(two);
    const first = expect(await post(`ABC-${one}`, 'blocks', two), 201).body as LinkJson;
    t.strictSame(first, {
      id: first.id,
      type: 'blocks',
      target_number: two,
      source: { id: source, number: one, title: 'One', state: 'open' },
      target: { id: target, number: two, title: 'Two', state: 'open' },
      created_at: first.created_at,
    });
    const second = await link(three, 'relates_to', one);
    const third = await link(one, 'duplicates', two);
    t.strictSame(await list(one), [first, second, third]);
    t.strictSame(await list(two), [first, third]);
    t.strictSame(await list(three), [second]);
  });

  await t.test('a fetched issue has its link count and the issues that block it; lists do not', async (t) => {
    const [one, two, three] = await some();
    await link(one, 'blocks', three);
    await link(two, 'blocks', three);
    await link(three, 'relates_to', one);
    expect(await alice.client.post(`${issues}/${two}/close`), 204);
    const ids = [(await fetch(one))['id'], (await fetch(two))['id']];
    t.match(await fetch(three), { links_count: 3 });
    t.strictSame((await fetch(three))['blocked_by'], [
      { id: ids[0], number: one, title: 'One', state: 'open' },
      { id: ids[1], number: two, title: 'Two', state: 'closed' },
    ]);
    t.match(await fetch(one), { links_count: 2, blocked_by: [] });
    const { items } = (await alice.client.get(`${issues}?per_page=1`)).body as { readonly items: readonly object[] };
    t.match(items, [{ number: three, links_count: 0 }]);
    t.notOk(Object.hasOwn(items[0] ?? {}, 'blocked_by'));
    t.match((await alice.client.patch(`${issues}/${three}`, { body: { title: 'x' } })).body, { links_count: 3 });
  });

  await t.test('DELETE: 204 from either end; 404 for an unknown link, 400 for a malformed id', async (t) => {
    const [one, two, three] = await some();
    const elsewhere = await repository('elsewhere');
    await open(elsewhere);
    for (const end of [one, two]) {
      const { id } = await link(one, 'blocks', two);
      for (const path of [`${at(three)}/${id}`, `${at(9999)}/${id}`, `${elsewhere}/1/links/${id}`])
        isError(t, await alice.client.delete(path), 404, 'not_found', path);
      t.equal((await alice.client.delete(`${at(end)}/${id}`)).status, 204);
      isError(t, await alice.client.delete(`${at(end)}/${id}`), 404, 'not_found', 'again');
    }
    isError(t, await alice.client.delete(`${at(one)}/${nobody}`), 404, 'not_found', 'none');
    isError(t, await alice.client.delete(`${at(one)}/1`), 400, 'validation_failed', 'not an id');
    t.match(await fetch(two), { links_count: 0, blocked_by: [] });
  });

  await t.test('a blocking cycle is 422, also through other issues; other links may form cycles', async (t) => {
    const [one, two, three] = await some();
    await link(one, 'blocks', two);
    await link(two, 'blocks', three);
    isError(t, await post(two, 'blocks', one), 422, 'unprocessable', 'directly');
    isError(t, await post(three, 'blocks', one), 422, 'unprocessable', 'through another');
    const { id } = await link(one, 'blocks', three);
    for (const type of ['relates_to', 'duplicates']) await link(three, type, one);
    t.equal((await list(three)).length, 4);
    expect(await alice.client.delete(`${at(one)}/${id}`), 204);
    isError(t, await post(three, 'blocks', one), 422, 'unprocessable', 'still through another');
    expect(await alice.client.delete(`${issues}/${two}`), 204);
    await link(three, 'blocks', one);
  });

  await t.test('a link to itself is 422, a duplicate is 409', async (t) => {
    const [one, two] = await some();
    for (const type of ['blocks', 'relates_to', 'duplicates']) {
      isError(t, await post(one, type, one), 422, 'unprocessable', `${type}: itself`);
      await link(one, type, two);
      isError(t, await post(one, type, two), 409, 'conflict', `${type}: twice`);
    }
    isError(t, await post(two, 'relates_to', one), 409, 'conflict', 'relates_to is mutual');
    await link(two, 'duplicates', one);
    t.equal((await list(one)).length, 4);
  });

  await t.test('400 for members that are missing, malformed, unknown, or not an issue of the repository', async (t) => {
    const [one, two] = await some();
    const other = await repository('other');
    await open(other);
    for (const [body, code] of [
      [{ type: 'blocks' }, 'validation_failed'],
      [{ target_number: two }, 'validation_failed'],
      [{ type: 'is_blocked_by', target_number: two }, 'validation_failed'],
      [{ type: null, target_number: two }, 'validation_failed'],
      [{ type: 'blocks', target_number: 0 }, 'validation_failed'],
      [{ type: 'blocks', target_number: -1 }, 'validation_failed'],
      [{ type: 'blocks', target_number: 1.5 }, 'validation_failed'],
      [{ type: 'blocks', target_number: `${two}` }, 'validation_failed'],
      [{ type: 'blocks', target_number: 2_147_483_648 }, 'validation_failed'],
      [{ type: 'blocks', target_number: 9999 }, 'validation_failed'],
      [{ type: 'blocks', target_number: two, note: 'x' }, 'unknown_field'],
    ] as const)
      isError(t, await alice.client.post(at(one), { body }), 400, code, JSON.stringify(body));
    const foreign = await alice.client.post(`${other}/1/links`, { body: { type: 'blocks', target_number: two } });
    isError(t, foreign, 400, 'validation_failed', 'of another repository');
    isError(t, await post(9999, 'blocks', one), 404, 'not_found', 'POST');
    isError(t, await alice.client.get(at(9999)), 404, 'not_found', 'GET');
    t.strictSame(await list(one), []);
  });

  await t.test(
    'needs issue.write, which triage and higher roles have; being the author of both issues is not enough',
    async (t) => {
      const [one, two] = [(await open(issues, {}, bob.client)).number, (await open(issues, {}, bob.client)).number];
      const { id } = await link(two, 'relates_to', one);
      isError(t, await post(one, 'blocks', two, bob.client), 403, 'forbidden', 'POST');
      isError(t, await bob.client.delete(`${at(one)}/${id}`), 403, 'forbidden', 'DELETE');
      expect(await alice.client.put(`${repos}/alice/code/collaborators/bob`, { body: { role: 'triage' } }), 204);
      expect(await post(one, 'blocks', two, bob.client), 201);
      expect(await bob.client.delete(`${at(one)}/${id}`), 204);
    },
  );

  await t.test('an issue has at most 100 links, counting both directions: 422', async (t) => {
    const many = await repository('many');
    const numbers: number[] = [];
    // Three types in each direction to 33 others, and one more.
    for (let index = 0; index < 36; index++) numbers.push((await open(many)).number);
    const [hub = 0, ...others] = numbers;
    const add = (from: number, type: string, target_number: number) =>
      alice.client.post(`${many}/${from}/links`, { body: { type, target_number } });
    let made = 0;
    for (const other of others)
      for (const [from, type, to] of [
        [hub, 'blocks', other],
        [other, 'relates_to', hub],
        [other, 'duplicates', hub],
      ] as const) {
        if (made === 100) break;
        expect(await add(from, type, to), 201);
        made += 1;
      }
    t.match((await alice.client.get(`${many}/${hub}`)).body, { links_count: 100 });
    const [last = 0] = others.slice(-1);
    for (const refused of [await add(hub, 'relates_to', last), await add(last, 'relates_to', hub)])
      isError(t, refused, 422, 'unprocessable', 'one more');
    const [some] = (await alice.client.get(`${many}/${hub}/links`)).body as readonly [LinkJson];
    expect(await alice.client.delete(`${many}/${hub}/links/${some.id}`), 204);
    expect(await add(hub, 'relates_to', last), 201);
  });
});
