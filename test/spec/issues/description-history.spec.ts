// Tests of the history of a description: an entry for each change, and every status of each operation.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import { expect, nobody, repos, tracker, types } from './tracker.ts';

interface EditJson {
  readonly id: string;
  readonly edited_at: string;
  readonly [member: string]: unknown;
}

void t.test('the history of a description', async (t) => {
  const { forge, alice, bob, repository, open } = await tracker(t);
  const issues = await repository('code');
  const change = async (number: number, body: object, client = alice.client): Promise<void> => {
    expect(await client.patch(`${issues}/${number}`, { body }), 200);
  };
  const list = async (number: number, query = ''): Promise<readonly EditJson[]> =>
    expect(await forge.anonymous.get(`${issues}/${number}/description-history${query}`), 200)
      .body as readonly EditJson[];

  await t.test('GET: a bare array of changes with author and time, newest first', async (t) => {
    const { id, number } = await open(issues, { description: 'one' }, bob.client);
    t.strictSame(await list(number), [], 'opening an issue adds no entry');
    expect(await bob.client.patch('/api/v1/user', { body: { display_name: 'Bob B.' } }), 200);
    await change(number, { description: 'two' }, bob.client);
    await change(number, { title: 'Other' });
    await change(number, { description: 'two', priority: 'low' });
    await change(number, { description: '' });
    const entries = await list(number);
    const [second, first] = entries;
    t.strictSame(entries, [
      {
        id: second?.id,
        issue_id: id,
        body_before: 'two',
        body_after: '',
        edited_by: alice.id,
        edited_at: second?.edited_at,
        editor_username: 'alice',
        editor_display_name: '',
      },
      {
        id: first?.id,
        issue_id: id,
        body_before: 'one',
        body_after: 'two',
        edited_by: bob.id,
        edited_at: first?.edited_at,
        editor_username: 'bob',
        editor_display_name: 'Bob B.',
      },
    ]);
    t.ok((second?.edited_at ?? '') > (first?.edited_at ?? ''));
    t.strictSame(await list(number, '?per_page=1&page=2'), [first]);
    t.strictSame(await list(number, '?per_page=0'), entries, 'out of bounds: the default');
    isError(t, await alice.client.get(`${issues}/9999/description-history`), 404, 'not_found', 'unknown issue');
  });

  await t.test('DELETE: administrators of the repository and of the instance, 204', async (t) => {
    const { number } = await open(issues, {}, bob.client);
    for (const description of ['one', 'two', 'three']) await change(number, { description }, bob.client);
    const { client: carol } = await forge.createUser('carol');
    const role = async (name: string) =>
      expect(await alice.client.put(`${repos}/alice/code/collaborators/carol`, { body: { role: name } }), 204);
    await role('maintain');
    const entries = await list(number);
    const at = (index: number): string => `${issues}/${number}/description-history/${entries[index]?.id ?? ''}`;
    for (const client of [bob.client, carol])
      isError(t, await client.delete(at(0)), 403, 'forbidden', 'the author, and a maintainer');
    await role('admin');
    t.equal((await carol.delete(at(0))).status, 204, 'administrator of the repository');
    isError(t, await carol.delete(at(0)), 404, 'not_found', 'again');
    const administrator = await forge.administrator();
    t.equal((await administrator.delete(at(1))).status, 204, 'administrator of the instance');
    t.equal((await alice.client.delete(at(2))).status, 204, 'the owner');
    t.strictSame(await list(number), []);
    t.match((await bob.client.get(`${issues}/${number}`)).body, { description: 'three' }, 'the description remains');
  });

  await t.test('DELETE: 400 for a malformed id, 404 for an unknown entry or one of another issue', async (t) => {
    const [one, two] = [(await open(issues)).number, (await open(issues)).number];
    await change(one, { description: 'x' });
    const [entry] = await list(one);
    isError(t, await alice.client.delete(`${issues}/${one}/description-history/1`), 400, 'validation_failed', 'id');
    const elsewhere = await repository('elsewhere');
    await open(elsewhere);
    for (const path of [
      `${issues}/${one}/description-history/${nobody}`,
      `${issues}/${two}/description-history/${entry?.id ?? ''}`,
      `${elsewhere}/1/description-history/${entry?.id ?? ''}`,
      `${issues}/9999/description-history/${entry?.id ?? ''}`,
    ])
      isError(t, await alice.client.delete(path), 404, 'not_found', path);
    t.strictSame(await list(one), [entry]);
  });

  await t.test('a user who changed a description cannot be deleted while the history exists: 409', async (t) => {
    const eve = await forge.createUser('eve');
    expect(await alice.client.put(`${repos}/alice/code/collaborators/eve`, { body: { role: 'triage' } }), 204);
    const { number } = await open(issues);
    await change(number, { description: 'by eve' }, eve.client);
    const administrator = await forge.administrator();
    const refusal = await administrator.delete(`/api/v1/admin/users/${eve.id}`);
    t.equal(refusal.status, 409, refusal.text);
    t.match(refusal.text, /descriptions/);
    const [entry] = await list(number);
    t.equal((await alice.client.delete(`${issues}/${number}/description-history/${entry?.id ?? ''}`)).status, 204);
    t.equal((await administrator.delete(`/api/v1/admin/users/${eve.id}`)).status, 204);
  });
});

void t.test('if the audit log is disabled, deleting an entry is 503', async (t) => {
  const first = await startTestForge(t);
  const before = await first.administrator();
  expect(await before.post(repos, { body: { name: 'code' } }), 201);
  const issues = `${repos}/admin/code/issues`;
  expect(await before.post(issues, { body: { title: 'x', issue_type_id: types.bug } }), 201);
  await first.stop();
  const forge = await startTestForge(t, { after: first, environment: { HEXFORGE_PLUGINS: '-audit' } });
  const admin = await forge.administrator();
  expect(await admin.patch(`${issues}/1`, { body: { description: 'x' } }), 200);
  const history = `${issues}/1/description-history`;
  const [entry] = expect(await admin.get(history), 200).body as readonly [EditJson];
  const refused = await admin.delete(`${history}/${entry.id}`);
  isError(t, refused, 503, 'unavailable', 'DELETE');
  t.match(refused.text, /audit/);
  t.strictSame((await admin.get(history)).body, [entry]);
});
