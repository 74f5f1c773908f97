// Tests of disabling the plugin `planning` temporarily: its routes are 404, and its data is kept, except the data of
// repositories that are deleted meanwhile.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge, type TestForge } from '#test/support/forge';

const repos = '/api/v1/repos';
const paths = ['labels', 'milestones'] as const;

void t.test('planning disabled and enabled again', async (t) => {
  const first = await startTestForge(t);
  const admin = await first.administrator();
  const made: Record<string, unknown> = {};
  for (const name of ['kept', 'doomed']) {
    t.equal((await admin.post(repos, { body: { name, visibility: 'public' } })).status, 201);
    const bodies = { labels: { name: 'Bug', color: 'd73a4a' }, milestones: { title: '1.0', due_date: '2030-01-01' } };
    for (const path of paths) {
      const answer = await admin.post(`${repos}/admin/${name}/${path}`, { body: bodies[path] });
      t.equal(answer.status, 201);
      made[`${name}/${path}`] = answer.body;
    }
  }
  await first.stop();

  const off = await startTestForge(t, { after: first, environment: { HEXFORGE_PLUGINS: '-planning' } });
  const meanwhile = await off.administrator();
  for (const path of paths) {
    const { id } = made[`kept/${path}`] as { readonly id: string };
    for (const where of [`${repos}/admin/kept/${path}`, `${repos}/admin/kept/${path}/${id}`]) {
      isError(t, await meanwhile.get(where), 404, 'not_found', where);
      isError(t, await meanwhile.delete(where), 404, 'not_found', where);
    }
    isError(t, await meanwhile.post(`${repos}/admin/kept/${path}`, { body: {} }), 404, 'not_found', path);
  }
  t.equal((await meanwhile.get(`${repos}/admin/kept`)).status, 200, 'the repository is unchanged');
  const collaborator = `${repos}/admin/kept/collaborators/bob`;
  await off.createUser('bob');
  t.equal((await meanwhile.put(collaborator, { body: { role: 'triage' } })).status, 204);
  t.match(
    (await meanwhile.get(`${collaborator}/permissions`)).body,
    { permissions: /label\.create/ },
    'the roles are unchanged',
  );
  const confirmation = 'admin/doomed';
  t.equal((await meanwhile.delete(`${repos}/admin/doomed`, { body: { confirmation } })).status, 204);
  t.equal((await meanwhile.post(repos, { body: { name: 'doomed' } })).status, 201);
  await off.stop();

  const on: TestForge = await startTestForge(t, { after: off });
  const again = await on.administrator();
  for (const path of paths) {
    t.strictSame((await again.get(`${repos}/admin/kept/${path}`)).body, [made[`kept/${path}`]], 'the previous data');
    t.strictSame((await again.get(`${repos}/admin/doomed/${path}`)).body, [], 'nothing of the deleted repository');
  }
});
