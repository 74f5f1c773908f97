// Tests of the parent and the children of an issue.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { expect, repos, tracker, types } from './tracker.ts';

void t.test('parents and children', async (t) => {
  const { forge, alice, bob, repository, open } = await tracker(t);
  const issues = await repository('code', { issue_code: 'ABC' });
  const put = async (number: number | string, parent_number: unknown, client = alice.client) =>
    client.put(`${issues}/${number}/parent`, { body: { parent_number } });
  const some = async (count: number, body: object = {}) => {
    const made = [];
    for (let index = 0; index < count; index++) made.push((await open(issues, body)).number);
    return made as [number, number, number, ...number[]];
  };
  const parentOf = async (number: number) =>
    ((await forge.anonymous.get(`${issues}/${number}`)).body as { parent: { number: number } | null }).parent?.number;

  await t.test('PUT sets and replaces, DELETE clears: 204 each time', async (t) => {
    const [one, two, child] = await some(3);
    t.equal((await put(child, one)).status, 204);
    t.equal((await put(`ABC-${child}`, two)).status, 204);
    t.equal(await parentOf(child), two);
    t.match((await alice.client.get(`${issues}/${two}`)).body, { children_count: 1 });
    for (let round = 0; round < 2; round++)
      t.equal((await alice.client.delete(`${issues}/${child}/parent`)).status, 204);
    t.equal(await parentOf(child), undefined);
  });

  await t.test('400 for anything but a positive number, 404 for an unknown issue', async (t) => {
    const [one] = await some(1);
    for (const bad of [undefined, null, 0, -1, 1.5, '1', 2 ** 31])
      t.equal((await put(one, bad)).status, 400, String(bad));
    t.equal((await put(one, 9999)).status, 404);
    t.equal((await put(9999, one)).status, 404);
    t.equal((await alice.client.delete(`${issues}/9999/parent`)).status, 404);
  });

  await t.test(
    '422 for the issue itself, a descendant, an epic or story under support, and a sixth level',
    async (t) => {
      const refused = async (number: number, parent: number, detail: RegExp) => {
        const answer = await put(number, parent);
        isError(t, answer, 422, 'unprocessable', `${number} under ${parent}`);
        t.match((answer.body as { detail: string }).detail, detail);
      };
      const levels = await some(6);
      await refused(levels[0], levels[0], /its own parent/);
      for (let index = 1; index < 5; index++)
        t.equal((await put(levels[index] ?? 0, levels[index - 1] ?? 0)).status, 204);
      await refused(levels[5] ?? 0, levels[4] ?? 0, /5 levels/);
      await refused(levels[0], levels[5] ?? 0, /5 levels/);
      await refused(levels[0], levels[2], /descendants/);
      const [support] = await some(1, { issue_type_id: types.support });
      for (const above of [types.epic, types.story]) {
        const [number] = await some(1, { issue_type_id: above });
        await refused(number, support, /support/);
      }
      const [bug] = await some(1, { issue_type_id: types.bug });
      t.equal((await put(bug, support)).status, 204);
      const answer = await alice.client.patch(`${issues}/${bug}`, { body: { issue_type_id: types.epic } });
      t.equal(answer.status, 400, 'a type cannot be changed to one that the parent does not allow');
      t.equal((await alice.client.patch(`${issues}/${support}`, { body: { issue_type_id: types.epic } })).status, 200);
      const fifth = (await forge.anonymous.get(`${issues}/${levels[4]}`)).body as { id: string };
      t.equal(
        (await alice.client.post(issues, { body: { title: 'x', issue_type_id: types.bug, parent_id: fifth.id } }))
          .status,
        400,
        'an invalid parent on create',
      );
    },
  );

  await t.test(
    'only the author, the owner and instance administrators may set a parent; issue.write is not enough',
    async (t) => {
      const [parent] = await some(1);
      const { number } = await open(issues, {}, bob.client);
      const { client: carol } = await forge.createUser('carol');
      expect(await alice.client.put(`${repos}/alice/code/collaborators/carol`, { body: { role: 'maintain' } }), 204);
      for (const client of [bob.client, alice.client, await forge.administrator()]) {
        t.equal((await put(number, parent, client)).status, 204);
        t.equal((await client.delete(`${issues}/${number}/parent`)).status, 204);
      }
      t.equal((await put(number, parent, carol)).status, 403);
      t.equal((await carol.delete(`${issues}/${number}/parent`)).status, 403);
    },
  );

  await t.test('GET children: a bare array of issue objects ordered by number, in pages', async (t) => {
    const { id, number } = await open(issues);
    const children = await some(3, { parent_id: id });
    const listed = async (query = '') =>
      (
        expect(await forge.anonymous.get(`${issues}/${number}/children${query}`), 200).body as {
          readonly number: number;
        }[]
      ).map((child) => child.number);
    t.strictSame(await listed(), children);
    t.strictSame(await listed('?per_page=2&page=2'), children.slice(2));
    const [child] = (await forge.anonymous.get(`${issues}/${number}/children`)).body as Record<string, unknown>[];
    t.match(child, { parent: { id, number, title: 'An issue' }, labels: [], comments_count: 0 });
    t.equal((await forge.anonymous.get(`${issues}/9999/children`)).status, 404);
  });

  await t.test('an issue of another repository cannot be a parent', async (t) => {
    const [other, own] = [await repository('other'), await repository('own')];
    for (let count = 0; count < 2; count++) await open(other);
    await open(own);
    t.equal((await alice.client.put(`${own}/1/parent`, { body: { parent_number: 2 } })).status, 404);
  });
});
