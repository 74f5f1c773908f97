// Labels over HTTP: each status of each operation, and who may do what.
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { checkPlugin, testHost } from 'hexforge/testing';
import labels from './plugin.ts';

void test('nothing is wrong with the definition', () => {
  assert.deepEqual(checkPlugin(labels), []);
});

void test('labels of a repository', async () => {
  await using forge = await testHost(labels, {
    repositories: [{ path: 'alice/open', visibility: 'public' }, 'alice/shut'],
  });
  const [alice, bob] = [forge.as('alice'), forge.as('bob')];
  const all = '/x/labels/repos/alice/open/labels';
  const bug = { name: 'Bug', color: '#d73a4a' };

  const made = await alice.post(all, { json: bug });
  const { id } = made.body as { id: string };
  assert.deepEqual([made.status, made.body], [201, { id, ...bug }]);
  assert.equal((await alice.post(all, { json: { ...bug, name: 'bUG' } })).status, 409);
  assert.equal((await alice.post(all, { json: { ...bug, name: ' a' } })).status, 400);
  assert.equal((await alice.post(all, { json: { name: 'a', color: 'red' } })).status, 400);

  const changed = await alice.patch(`${all}/${id}`, { json: { name: 'Defect' } });
  assert.deepEqual([changed.status, changed.body], [200, { id, ...bug, name: 'Defect' }]);
  assert.deepEqual((await alice.patch(`${all}/${id}`, { json: {} })).body, changed.body, 'nothing asked');
  assert.deepEqual((await forge.get(`${all}/${id}`)).body, changed.body);
  const list = await forge.get(`${all}?per_page=1`);
  assert.deepEqual(list.body, { items: [changed.body], total: 1, page: 1, per_page: 1 });
  await forge.drained();
  const events = forge.events.filter(({ type }) => type === 'labels.changed');
  assert.deepEqual(
    events.map(({ payload }) => (payload as { id: string }).id),
    [id, id],
    'one for each change',
  );

  assert.equal((await bob.post(all, { json: bug })).status, 403, 'bob may read, not write');
  assert.equal((await forge.anonymous.post(all, { json: bug })).status, 401);
  const hidden = '/x/labels/repos/alice/shut/labels';
  assert.equal((await bob.get(hidden)).status, 404, 'a private repository is not there');
  assert.equal((await alice.get(`${hidden}/${id}`)).status, 404, 'nor a label of another repository');
  assert.equal((await alice.patch(`${hidden}/${id}`, { json: {} })).status, 404);
  assert.equal((await alice.delete(`${hidden}/${id}`)).status, 404);
  assert.equal((await alice.delete(`${all}/none`)).status, 400);

  assert.equal((await alice.delete(`${all}/${id}`)).status, 204);
  assert.equal((await alice.delete(`${all}/${id}`)).status, 404);
});
