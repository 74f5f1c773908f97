// Tests of the bounds of issues: the last accepted and the first rejected value of each member, texts that a database
// cannot store, numbers in paths, and lists with the longest possible texts.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { thorough } from '#test/support/marks';
import { expect, repos, tracker, types, type IssueJson } from './tracker.ts';

const whole = Number.MAX_SAFE_INTEGER;

void t.test('bounds of issues', async (t) => {
  const { forge, alice, bob, repository, open } = await tracker(t);
  const issues = await repository('code');
  const made = async (path: string, body: object): Promise<string> =>
    (expect(await alice.client.post(path, { body }), 201).body as { readonly id: string }).id;

  await t.test(
    'opening and changing accept the largest value of each member; the first larger one is 400',
    async (t) => {
      const { number } = await open(issues);
      for (const [member, last, past] of [
        ['title', 'x'.repeat(255), 'x'.repeat(256)],
        ['description', 'x'.repeat(65_536), 'x'.repeat(65_537)],
        ['assumptions', 'x'.repeat(65_536), 'x'.repeat(65_537)],
        ['acceptance_criteria', 'x'.repeat(65_536), 'x'.repeat(65_537)],
        ['story_points', whole, whole + 1],
        ['input_tokens', whole, whole + 1],
        ['output_tokens', 0, -1],
        ['due_date', '0001-01-01', '0000-12-31'],
        ['due_date', '9999-12-31', '10000-01-01'],
        ['due_date', '2028-02-29', '2027-02-29'],
      ] as const) {
        t.match(await open(issues, { [member]: last }), { [member]: last }, member);
        for (const answer of [
          await alice.client.post(issues, { body: { title: 'x', issue_type_id: types.bug, [member]: past } }),
          await alice.client.patch(`${issues}/${number}`, { body: { [member]: past } }),
        ]) {
          isError(t, answer, 400, 'validation_failed', member);
          t.match((answer.body as { readonly detail: string }).detail, `"${member}"`);
        }
      }
    },
  );

  await t.test('a text with NUL or half of a surrogate pair is 400 in every member', async (t) => {
    const { number } = await open(issues);
    const at = `${issues}/${number}`;
    for (const text of ['a\0b', 'a\ud800b', 'a\udc00b'])
      for (const [method, path, body] of [
        ['POST', issues, { title: text, issue_type_id: types.bug }],
        ['POST', issues, { title: 'x', issue_type_id: types.bug, description: text }],
        ['PATCH', at, { description: text }],
        ['PATCH', at, { assumptions: text }],
        ['PATCH', at, { acceptance_criteria: text }],
        ['POST', `${at}/comments`, { body: text }],
        ['POST', `${repos}/alice/code/labels`, { name: text, color: '00ff00' }],
        ['POST', `${repos}/alice/code/milestones`, { title: text }],
        ['POST', `${repos}/alice/code/components`, { name: 'x', description: text }],
      ] as const)
        isError(t, await alice.client.request(method, path, { body }), 400, 'validation_failed', `${method} ${path}`);
    for (const query of ['q=a%00', 'label=a%00', 'component=%00', 'type=%00'])
      t.equal((await forge.anonymous.get(`${issues}?${query}`)).status, 400, query);
  });

  await t.test('a number in a path may have leading zeros; a number past the last issue is 404', async (t) => {
    for (const name of ['01', '0000000001']) t.match((await alice.client.get(`${issues}/${name}`)).body, { number: 1 });
    for (const name of ['2147483647', '2147483648', '9999999999'])
      t.equal((await alice.client.get(`${issues}/${name}`)).status, 404, name);
    for (const name of ['00000000001', '+1', '1e0', '%201', '1%0A', '%EF%BC%91'])
      t.equal((await alice.client.get(`${issues}/${name}`)).status, 400, name);
  });

  await t.test('a PATCH with a thing of another repository is 400', async (t) => {
    const [own, other] = [await repository('own'), await repository('other')];
    const { number } = await open(own);
    const there = other.replace(/issues$/, '');
    const component = await made(`${there}components`, { name: 'c' });
    const version = await made(`${there}versions`, { name: 'v' });
    for (const body of [
      { label_ids: [await made(`${there}labels`, { name: 'l', color: '00ff00' })] },
      { milestone_id: await made(`${there}milestones`, { title: 'm' }) },
      { component_ids: [component] },
      { fix_version_ids: [version] },
      { affects_version_ids: [version] },
    ]) {
      const answer = await alice.client.patch(`${own}/${number}`, { body });
      isError(t, answer, 400, 'validation_failed', JSON.stringify(body));
      t.match((answer.body as { readonly detail: string }).detail, `"${Object.keys(body)[0]}"`);
    }
  });

  await t.test('a method that a path does not have is 405 with Allow, for any caller', async (t) => {
    for (const [method, tail, allowed] of [
      ['PUT', '/1', /PATCH/],
      ['GET', '/1/close', /POST/],
      ['POST', '/1/parent', /PUT/],
      ['GET', '/1/subscription', /DELETE/],
      ['PATCH', '/1/links', /POST/],
      ['DELETE', '/1/children', /GET/],
    ] as const)
      for (const client of [alice.client, forge.anonymous]) {
        const answer = await client.request(method, `${issues}${tail}`);
        isError(t, answer, 405, 'method_not_allowed', `${method} ${tail}`);
        t.match(answer.headers.get('allow') ?? '', allowed);
      }
  });

  await t.test('inline labels past the limit of the repository are 422', async (t) => {
    const full = await repository('full');
    const post = (from: number, count: number) =>
      alice.client.post(full, {
        body: {
          title: 'x',
          issue_type_id: types.bug,
          inline_labels: Array.from({ length: count }, (_, index) => ({ name: `${from + index}`, color: '00ff00' })),
        },
      });
    for (let from = 0; from < 1000; from += 100) expect(await post(from, 100), 201);
    isError(t, await post(1000, 1), 422, 'unprocessable', 'one more');
    t.equal((await post(0, 1)).status, 201, 'an existing label is reused');
    isError(t, await post(0, 101), 400, 'validation_failed', 'too many for one issue');
    const operation = forge.contract.operations.find(({ entry }) => entry['operationId'] === 'issueCreate');
    t.ok(Object.hasOwn(operation?.entry['responses'] as object, '422'));
  });

  await t.test('deleting a user who wrote issues is 409 with error and reason', async (t) => {
    const eve = await forge.createUser('eve');
    await open(issues, {}, eve.client);
    const answer = await (await forge.administrator()).delete(`/api/v1/admin/users/${eve.id}`);
    isError(t, answer, 409, 'conflict', 'the author of an issue');
    t.match((answer.body as { readonly reason: string }).reason, /1 issues/);
  });

  await thorough(t).test(
    'a list of issues with long texts is 200 with the longest texts cut; fetching one issue returns them complete',
    async (t) => {
      const long = await repository('long');
      const above = await open(long, { title: 'Above' });
      // A text of the maximum length, whose characters take six bytes each in JSON.
      const text = '\u0001'.repeat(65_536);
      for (let count = 0; count < 16; count++) {
        const { number } = await open(
          long,
          { title: 'Login', description: text, assumptions: text, parent_id: above.id },
          bob.client,
        );
        expect(await bob.client.patch(`${long}/${number}`, { body: { acceptance_criteria: text } }), 200);
        for (let comment = 0; comment < 3; comment++)
          expect(await bob.client.post(`${long}/1/comments`, { body: { body: text } }), 201);
      }
      for (const path of ['', '/search?q=login', '/1/children', '/1/comments']) {
        const { body, text: answer } = expect(await forge.anonymous.get(`${long}${path}`), 200);
        const items = Array.isArray(body) ? (body as IssueJson[]) : (body as { readonly items: IssueJson[] }).items;
        t.ok(items.length >= 16, path);
        t.ok(answer.length < 9 * 1024 ** 2, `${path}: ${answer.length} bytes`);
        t.match(items[0]?.['description'] ?? items[0]?.['body'], /…$/, path);
      }
      t.match((await forge.anonymous.get(`${long}/2`)).body, { description: text, acceptance_criteria: text });
      const few = (await forge.anonymous.get(`${long}?per_page=1`)).body as { readonly items: readonly IssueJson[] };
      t.equal(few.items[0]?.['description'], text, 'also in a smaller page');
    },
  );

  await thorough(t).test('the default page is 200 for any number of components of its issues', async (t) => {
    const parts = await repository('parts');
    const component_ids: string[] = [];
    for (let count = 0; count < 100; count++)
      component_ids.push(
        await made(parts.replace(/issues$/, 'components'), { name: `c${count}`, description: '\u0001'.repeat(1000) }),
      );
    for (let count = 0; count < 25; count++) await open(parts, { component_ids });
    const { body, text: answer } = expect(await forge.anonymous.get(parts), 200);
    const { items } = body as {
      readonly items: readonly { readonly components: { readonly description: string }[] }[];
    };
    t.ok(items.length === 25 && items.every(({ components }) => components.length === 100));
    t.match(items[0]?.components[0]?.description, /…$/);
    t.ok(answer.length < 4 * 1024 ** 2, `${answer.length} bytes`);
  });
});
