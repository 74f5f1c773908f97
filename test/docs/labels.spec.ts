// Labels over HTTP: each status of each operation, and who may do what.
import { join } from 'node:path';
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import labels from '../../docs/examples/labels/plugin.ts';

const path = join(import.meta.dirname, '../../docs/examples/labels/plugin.ts');

void t.test('labels of a repository', async (t) => {
  const forge = await startTestForge(t, {
    definitions: [labels],
    configuration: { plugins: { labels: { path, mount: 'anywhere' } } },
  });
  const [alice, bob] = [await forge.createUser('alice'), await forge.createUser('bob')];
  for (const [name, visibility] of [
    ['open', 'public'],
    ['shut', 'private'],
  ])
    await alice.client.post('/api/v1/repos', { body: { name, visibility } });
  const all = '/api/v1/repos/alice/open/labels';
  const bug = { name: 'Bug', color: '#d73a4a' };

  const made = await alice.client.post(all, { body: bug });
  const { id } = made.body as { id: string };
  t.strictSame([made.status, made.body], [201, { id, ...bug }]);
  t.equal((await alice.client.post(all, { body: { ...bug, name: 'bUG' } })).status, 409);
  t.equal((await alice.client.post(all, { body: { ...bug, name: ' a' } })).status, 400);
  t.equal((await alice.client.post(all, { body: { name: 'a', color: 'red' } })).status, 400);

  const changed = await alice.client.patch(`${all}/${id}`, { body: { name: 'Defect' } });
  t.strictSame([changed.status, changed.body], [200, { id, ...bug, name: 'Defect' }]);
  t.strictSame((await alice.client.patch(`${all}/${id}`, { body: {} })).body, changed.body, 'nothing asked');
  const list = await forge.anonymous.get(`${all}?per_page=1`);
  t.strictSame(list.body, { items: [changed.body], total: 1, page: 1, per_page: 1 });

  t.equal((await bob.client.post(all, { body: bug })).status, 403, 'bob may read, not write');
  t.equal((await forge.anonymous.post(all, { body: bug })).status, 401);
  t.equal((await bob.client.get('/api/v1/repos/alice/shut/labels')).status, 404, 'a private repository is not there');
  const elsewhere = `/api/v1/repos/alice/shut/labels/${id}`;
  t.equal((await alice.client.patch(elsewhere, { body: {} })).status, 404, 'nor a label of another repository');
  t.equal((await alice.client.delete(elsewhere)).status, 404);
  t.equal((await alice.client.delete(`${all}/none`)).status, 400);

  t.equal((await alice.client.delete(`${all}/${id}`)).status, 204);
  t.equal((await alice.client.delete(`${all}/${id}`)).status, 404);
});
