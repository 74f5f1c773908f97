// Tests of milestones: every operation, status and bound.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { sharedForge } from '#test/support/shared-forge';

const repos = '/api/v1/repos';
const nobody = '00000000-0000-4000-8000-0000000000ff';

interface MilestoneJson {
  readonly id: string;
  readonly title: string;
  readonly created_at: string;
  readonly closed_at: string | null;
}

void t.test('milestones', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [(await forge.createUser('alice')).client, (await forge.createUser('bob')).client];
  const repository = async (name: string, visibility = 'public'): Promise<string> => {
    const answer = await alice.post(repos, { body: { name, visibility } });
    t.equal(answer.status, 201);
    return (answer.body as { readonly id: string }).id;
  };
  const openId = await repository('open');
  await repository('shut', 'private');
  const open = `${repos}/alice/open/milestones`;
  const shut = `${repos}/alice/shut/milestones`;
  const make = async (body: object, path = open): Promise<MilestoneJson> => {
    const answer = await alice.post(path, { body });
    t.equal(answer.status, 201, answer.text);
    return answer.body as MilestoneJson;
  };
  const titles = async (query = '', path = open): Promise<string> => {
    const answer = await alice.get(`${path}${query}`);
    t.equal(answer.status, 200);
    return (answer.body as readonly MilestoneJson[]).map(({ title }) => title).join(' ');
  };
  const clear = async (path = open): Promise<void> => {
    for (const { id } of (await alice.get(path)).body as readonly MilestoneJson[])
      t.equal((await alice.delete(`${path}/${id}`)).status, 204);
  };

  await t.test('POST: 201 with the milestone; GET answers the same', async (t) => {
    const before = Date.now();
    const made = await make({ title: '1.0' });
    t.strictSame(made, {
      id: made.id,
      repo_id: openId,
      title: '1.0',
      description: '',
      due_date: null,
      state: 'open',
      created_at: made.created_at,
      closed_at: null,
      open_issues: 0,
      closed_issues: 0,
    });
    t.ok(Date.parse(made.created_at) >= before && Date.parse(made.created_at) <= Date.now());
    t.strictSame((await forge.anonymous.get(`${open}/${made.id}`)).body, made);
    const whole = { title: ' two ', description: 'a\nb', due_date: '2028-02-29' };
    t.match(await make(whole), whole);
    for (const due_date of ['', null]) t.match(await make({ title: 'none', due_date }), { due_date: null });
    t.match(await make({ title: '1.0' }), { title: '1.0' }, 'titles may repeat');
    await clear();
  });

  await t.test('GET: a bare array ordered by due date; `state` filters', async (t) => {
    t.strictSame((await forge.anonymous.get(open)).body, []);
    await make({ title: 'undated' });
    await make({ title: 'late', due_date: '2030-01-01' });
    const { id } = await make({ title: 'done', due_date: '2026-01-01' });
    await make({ title: 'soon', due_date: '2027-12-31' });
    t.equal((await alice.patch(`${open}/${id}`, { body: { state: 'closed' } })).status, 200);
    for (const query of ['', '?state=', '?state=all']) t.equal(await titles(query), 'done soon late undated', query);
    t.equal(await titles('?state=open'), 'soon late undated');
    t.equal(await titles('?state=closed'), 'done');
    for (const state of ['Open', 'done', 'a%00b'])
      isError(t, await alice.get(`${open}?state=${state}`), 400, 'validation_failed', state);
    await clear();
  });

  await t.test(
    'POST and PATCH: 400 for an empty title, an invalid date, beyond the bounds and for unknown fields',
    async (t) => {
      const path = `${open}/${(await make({ title: 'kept' })).id}`;
      const refused: readonly object[] = [
        { title: '' },
        { title: ' \n' },
        { title: null },
        { title: 'x'.repeat(256) },
        { title: 'x', description: 'y'.repeat(2001) },
        { title: 'x', description: null },
        ...[
          '2026-02-30',
          '2027-02-29',
          '2026-13-01',
          '2026-1-1',
          '20260101',
          '0000-01-01',
          '2026-01-01T00:00:00Z',
          'soon',
          7,
        ].map((due_date) => ({ title: 'x', due_date })),
      ];
      for (const body of refused) {
        const what = JSON.stringify(body).slice(0, 60);
        isError(t, await alice.post(open, { body }), 400, 'validation_failed', `POST ${what}`);
        isError(t, await alice.patch(path, { body }), 400, 'validation_failed', `PATCH ${what}`);
      }
      isError(t, await alice.post(open, { body: {} }), 400, 'validation_failed', 'no title');
      for (const state of ['all', 'Closed', '', null])
        isError(t, await alice.patch(path, { body: { state } }), 400, 'validation_failed', `state ${state}`);
      isError(t, await alice.post(open, { body: { title: 'x', state: 'open' } }), 400, 'unknown_field', 'POST state');
      isError(t, await alice.patch(path, { body: { closed_at: null } }), 400, 'unknown_field', 'PATCH closed_at');
      t.equal(await titles(), 'kept');
      const most = { title: 'x'.repeat(255), description: 'y'.repeat(2000), due_date: '0001-01-01' };
      t.match(await make(most), most);
      t.match(await make({ title: 'far', due_date: '9999-12-31' }), { due_date: '9999-12-31' });
      await clear();
    },
  );

  await t.test(
    'PATCH: 200, any subset; an empty date clears; closing and reopening set and clear closed_at',
    async (t) => {
      const made = await make({ title: 'one', description: 'what', due_date: '2027-01-01' });
      const patch = async (body: object): Promise<MilestoneJson> => {
        const answer = await alice.patch(`${open}/${made.id}`, { body });
        t.equal(answer.status, 200, answer.text);
        return answer.body as MilestoneJson;
      };
      t.strictSame(await patch({}), made);
      t.strictSame(await patch({ title: 'two' }), { ...made, title: 'two' });
      t.strictSame(await patch({ title: 'one', description: '' }), { ...made, description: '' });
      t.strictSame(await patch({ due_date: '', description: 'what' }), { ...made, due_date: null });
      t.strictSame(await patch({ due_date: '2027-01-01' }), made);
      t.match(await patch({ due_date: null }), { due_date: null });
      const closed = await patch({ state: 'closed' });
      t.strictSame(closed, { ...made, due_date: null, state: 'closed', closed_at: closed.closed_at });
      t.ok(Date.parse(closed.closed_at ?? '') >= Date.parse(made.created_at));
      t.strictSame(
        await patch({ state: 'closed', title: 'two' }),
        { ...closed, title: 'two' },
        'the time is unchanged',
      );
      t.match(await patch({ state: 'open' }), { state: 'open', closed_at: null });
      t.match(await patch({ state: 'open' }), { state: 'open', closed_at: null });
      await clear();
    },
  );

  await t.test('400 for a malformed id, 404 for an unknown one or one of another repository; DELETE 204', async (t) => {
    const { id } = await make({ title: 'hidden' }, shut);
    const asks = (path: string) =>
      Promise.all([alice.get(path), alice.patch(path, { body: { title: 'taken' } }), alice.delete(path)]);
    for (const answer of [...(await asks(`${open}/${id}`)), ...(await asks(`${open}/${nobody}`))])
      isError(t, answer, 404, 'not_found', 'of another repository');
    for (const answer of await asks(`${open}/none`)) isError(t, answer, 400, 'validation_failed', 'not an id');
    t.equal(await titles('', shut), 'hidden', 'it is unchanged');
    t.equal((await alice.delete(`${shut}/${id}`)).status, 204);
    isError(t, await alice.delete(`${shut}/${id}`), 404, 'not_found', 'twice');
    isError(t, await alice.get(`${shut}/${id}`), 404, 'not_found', 'gone');
  });

  await t.test(
    'changes need milestone.write, which write and higher roles have; 401 without a credential',
    async (t) => {
      const { id } = await make({ title: 'one' });
      const asks = async (client: Client) => [
        await client.post(open, { body: { title: 'two' } }),
        await client.patch(`${open}/${id}`, { body: { title: 'three' } }),
        await client.delete(`${open}/${id}`),
      ];
      for (const answer of await asks(forge.anonymous)) isError(t, answer, 401, 'unauthorized', 'anonymous');
      for (const answer of await asks(bob)) isError(t, answer, 403, 'forbidden', 'a reader');
      const role = async (name: string): Promise<void> => {
        const put = await alice.put(`${repos}/alice/open/collaborators/bob`, { body: { role: name } });
        t.equal(put.status, 204);
      };
      await role('triage');
      for (const answer of await asks(bob)) isError(t, answer, 403, 'forbidden', 'the role triage');
      await role('write');
      t.strictSame(
        (await asks(bob)).map(({ status }) => status),
        [201, 200, 204],
      );
      await clear();
    },
  );

  await t.test('milestones of a private repository are 404 for a caller who may not read it', async (t) => {
    const { id } = await make({ title: 'hidden' }, shut);
    for (const client of [forge.anonymous, bob])
      for (const path of [shut, `${shut}/${id}`]) isError(t, await client.get(path), 404, 'not_found', path);
    isError(t, await bob.post(shut, { body: { title: 'x' } }), 404, 'not_found', 'POST');
    isError(t, await bob.delete(`${shut}/${id}`), 404, 'not_found', 'DELETE');
    await clear(shut);
  });

  await t.test('tokens need repo:read to read and repo:write to change', async (t) => {
    const { id } = await make({ title: 'one' });
    const reader = await forge.pat(alice, ['repo:read']);
    for (const path of [open, `${open}/${id}`]) t.equal((await reader.get(path)).status, 200, path);
    isError(t, await reader.post(open, { body: { title: 'x' } }), 403, 'insufficient_scope', 'POST');
    isError(t, await reader.patch(`${open}/${id}`, { body: {} }), 403, 'insufficient_scope', 'PATCH');
    isError(t, await reader.delete(`${open}/${id}`), 403, 'insufficient_scope', 'DELETE');
    isError(t, await (await forge.pat(alice, ['issue:write'])).get(open), 403, 'insufficient_scope', 'another family');
    const writer = await forge.pat(alice, ['repo:write']);
    t.equal((await writer.post(open, { body: { title: 'x' } })).status, 201);
    t.equal((await writer.patch(`${open}/${id}`, { body: { state: 'closed' } })).status, 200);
    t.equal((await writer.delete(`${open}/${id}`)).status, 204);
    await clear();
  });
});
