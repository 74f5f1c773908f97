// Tests of watching an issue.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { expect, tracker } from './tracker.ts';

void t.test('watching', async (t) => {
  const { forge, alice, bob, repository, open } = await tracker(t);
  const issues = await repository('code', { issue_code: 'ABC' });
  const seen = async (number: number, client = bob.client) => {
    const { watchers_count, watching } = expect(await client.get(`${issues}/${number}`), 200).body as Record<
      string,
      unknown
    >;
    return [watchers_count, watching];
  };

  await t.test('PUT and DELETE: 204 each time, only for the caller', async (t) => {
    const { number } = await open(issues);
    const path = `${issues}/${number}/subscription`;
    t.same(await seen(number), [1, false], 'the author watches automatically');
    for (let round = 0; round < 2; round++) t.equal((await bob.client.put(path)).status, 204);
    t.same(await seen(number), [2, true]);
    t.same(await seen(number, forge.anonymous), [2, false]);
    for (let round = 0; round < 2; round++) t.equal((await alice.client.delete(path)).status, 204);
    t.same(await seen(number, alice.client), [1, false], 'the author may stop watching');
    t.equal((await bob.client.delete(`${issues}/ABC-${number}/subscription`)).status, 204);
    t.same(await seen(number), [0, false]);
  });

  await t.test('assignees watch automatically, and may stop', async (t) => {
    const { number } = await open(issues, { assignee_ids: [bob.id] });
    t.same(await seen(number), [2, true]);
    t.equal((await bob.client.delete(`${issues}/${number}/subscription`)).status, 204);
    t.match((await bob.client.get(`${issues}/${number}`)).body, { watching: false, assignees: [{ id: bob.id }] });
    expect(await alice.client.patch(`${issues}/${number}`, { body: { assignee_ids: [] } }), 200);
    t.same(await seen(number), [1, false]);
    expect(await alice.client.patch(`${issues}/${number}`, { body: { assignee_ids: [bob.id] } }), 200);
    t.same(await seen(number), [2, true], 'a user who is assigned again watches again');
  });

  await t.test('commenting does not make the author watch the issue', async (t) => {
    const { number } = await open(issues);
    expect(await bob.client.post(`${issues}/${number}/comments`, { body: { body: 'x' } }), 201);
    t.same(await seen(number), [1, false]);
  });

  await t.test('watchers_count is 0 in lists, which do not have `watching`', async (t) => {
    const { items } = (await alice.client.get(issues)).body as { readonly items: readonly object[] };
    t.ok(items.length > 0);
    for (const item of items) t.match({ watching: 'absent', ...item }, { watching: 'absent', watchers_count: 0 });
  });

  await t.test('401 without a credential, 404 for an unknown issue and in a hidden repository', async (t) => {
    const hidden = await repository('hidden', { visibility: 'private' });
    await open(hidden);
    for (const method of ['PUT', 'DELETE']) {
      const ask = (path: string, client = bob.client) => client.request(method, `${path}/subscription`);
      isError(t, await ask(`${issues}/1`, forge.anonymous), 401, 'unauthorized', method);
      isError(t, await ask(`${issues}/9999`), 404, 'not_found', method);
      isError(t, await ask(`${hidden}/1`), 404, 'not_found', method);
      isError(t, await ask(`${issues}/x`), 400, 'validation_failed', method);
    }
  });
});
