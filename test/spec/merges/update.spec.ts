// Tests of changing, closing and reopening a merge request.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { branch, expect, nobody, repos, workshop, type MergeJson } from './workshop.ts';

void t.test('changing a merge request', async (t) => {
  const { forge, alice, bob, repository, open, fetch, settled } = await workshop(t);
  const code = await repository('code');
  const one = `${code}/merges/1`;
  await open(code, { description: 'first' });
  const change = async (body: object, path = one): Promise<MergeJson> =>
    expect(await alice.client.patch(path, { body }), 200).body as MergeJson;
  const refused = async (body: object, detail: RegExp, path = one): Promise<void> => {
    const answer = await alice.client.patch(path, { body });
    isError(t, answer, 400, 'validation_failed', JSON.stringify(body).slice(0, 80));
    t.match((answer.body as { readonly detail: string }).detail, detail);
  };
  const planned = async (what: 'labels' | 'milestones', body: object): Promise<string> =>
    (expect(await alice.client.post(`${code}/${what}`, { body }), 201).body as { readonly id: string }).id;
  const [bug, later] = [
    await planned('labels', { name: 'Bug', color: 'd73a4a' }),
    await planned('labels', { name: 'later', color: '0000ff' }),
  ];
  const milestone = await planned('milestones', { title: 'First' });

  await t.test('PATCH changes each member alone; missing members are unchanged', async (t) => {
    t.match(await change({ title: 'Another' }), { title: 'Another', description: 'first' });
    t.match(await change({ description: 'second' }), { title: 'Another', description: 'second' });
    t.match(await change({ body: 'third' }), { description: 'third' });
    t.match(await change({ body: 'loses', description: 'wins' }), { description: 'wins' });
    t.match(await change({ description: '' }), { description: '' });
    t.match(await change({ draft: true }), { is_draft: true });
    t.match(await change({ draft: false }), { is_draft: false });
    t.match(await change({ milestone_id: milestone }), { milestone: { id: milestone } });
    t.match(await change({ milestone_id: null }), { milestone: null });
    t.match((await change({ label_ids: [later, bug] }))['labels'], [{ name: 'Bug' }, { name: 'later' }]);
    t.match((await change({ label_ids: [bug] }))['labels'], { length: 1 });
    t.strictSame((await change({ label_ids: [] }))['labels'], []);
    t.match((await change({ assignee_ids: [bob.id] }))['assignees'], [{ username: 'bob' }]);
    t.strictSame((await change({ assignee_ids: [] }))['assignees'], []);
    t.strictSame(
      await fetch(code, 1),
      await change({ title: 'Another' }),
      'the same value changes nothing, not even updated_at',
    );
  });

  await t.test('requested reviewers are pending, and are removed when they are no longer requested', async (t) => {
    const carol = await forge.createUser('carol');
    t.match((await change({ reviewer_ids: [carol.id, bob.id] }))['reviewers'], [
      { user: { username: 'bob' }, state: 'pending' },
      { user: { username: 'carol' }, state: 'pending' },
    ]);
    t.match((await change({ reviewer_ids: [carol.id] }))['reviewers'], [{ user: { username: 'carol' } }]);
    t.strictSame((await change({ reviewer_ids: [] }))['reviewers'], []);
  });

  await t.test('400 for an empty body and for invalid changes', async (t) => {
    await refused({}, /at least one/);
    for (const state of ['merged', 'reopened', 'Open', '']) await refused({ state }, /state/);
    await refused({ title: ' ' }, /title/);
    await refused({ draft: 1 }, /draft/);
    await refused({ label_ids: [nobody] }, /label_ids/);
    await refused({ milestone_id: nobody }, /milestone/);
    await refused({ assignee_ids: [nobody] }, /assignee_ids/);
    await refused({ reviewer_ids: [nobody] }, /reviewer_ids/);
    await refused({ target_branch: 'none' }, /target_branch/);
    await refused({ target_branch: 'topic' }, /same/);
    await refused({ title: 'x' }, /number/, `${code}/merges/x`);
    isError(t, await alice.client.patch(one, { body: { source_branch: 'main' } }), 400, 'unknown_field', 'source');
  });

  await t.test('close and reopen, with the members that depend on the state', async (t) => {
    const closed = await change({ state: 'closed' });
    t.match(closed, { state: 'closed', closed_at: /Z$/ });
    t.strictSame(await change({ state: 'closed' }), closed, 'already closed: nothing changes');
    await refused({ draft: true }, /draft/);
    const changed = await change({ title: 'Closed' });
    t.match(changed, { title: 'Closed', state: 'closed', closed_at: closed['closed_at'] });
    t.not(changed['updated_at'], closed['closed_at'], 'closed_at is not the time of the last change');
    const reopened = await change({ state: 'open', draft: true });
    t.match(reopened, { state: 'open', is_draft: true });
    t.notOk('closed_at' in reopened);
    await change({ draft: false, title: 'Another' });
  });

  await t.test('a new target must exist, and may require a pipeline', async (t) => {
    await branch(alice.client, code, 'stable');
    t.match(await change({ target_branch: 'stable' }), { target_branch: 'stable', commits_count: 1 });
    await branch(alice.client, code, 'gated');
    const gate = { required_pipeline: { on_open: true, on_merge: false } };
    expect(await alice.client.put(`${code}/branches/gated/protection`, { body: gate }), 200);
    const gated = await alice.client.patch(one, { body: { target_branch: 'gated' } });
    isError(t, gated, 409, 'pipeline_missing', 'gated');
    await change({ target_branch: 'main' });
  });

  await t.test('409 if another open request has the same branches', async (t) => {
    await branch(alice.client, code, 'next');
    const second = await open(code, { target_branch: 'next' });
    isError(t, await alice.client.patch(one, { body: { target_branch: 'next' } }), 409, 'conflict', 'retarget');
    await change({ state: 'closed' });
    await change({ target_branch: 'next' });
    isError(t, await alice.client.patch(one, { body: { state: 'open' } }), 409, 'conflict', 'reopen');
    await change({ state: 'closed' }, `${code}/merges/${second.number}`);
    await change({ state: 'open' });
    await change({ target_branch: 'main' });
  });

  await t.test('a request whose target was deleted is reopened with another one', async (t) => {
    const made = await open(code, { source_branch: 'stable', target_branch: 'next' });
    const path = `${code}/merges/${made.number}`;
    expect(await alice.client.delete(`${code}/branches/next`), 204);
    expect(await alice.client.post(`${code}/branches`, { body: { name: 'again', base_ref: 'main' } }), 201);
    await settled();
    t.equal((await fetch(code, made.number)).state, 'closed');
    isError(t, await alice.client.patch(path, { body: { state: 'open' } }), 400, 'validation_failed', 'no target');
    t.match(await change({ state: 'open', target_branch: 'again' }, path), { state: 'open', target_branch: 'again' });
  });

  await t.test('changes are for the author and for holders of merge.update', async (t) => {
    const [writer, triage] = [await forge.createUser('writer'), await forge.createUser('triage')];
    for (const role of ['write', 'triage'])
      expect(
        await alice.client.put(`${code}/collaborators/${role === 'write' ? 'writer' : role}`, { body: { role } }),
        204,
      );
    expect(await writer.client.patch(one, { body: { title: 'By a writer' } }), 200);
    for (const client of [triage.client, bob.client])
      isError(t, await client.patch(one, { body: { title: 'x' } }), 403, 'forbidden', 'reader');
    isError(t, await forge.anonymous.patch(one, { body: { title: 'x' } }), 401, 'unauthorized', 'anonymous');
    isError(t, await alice.client.patch(`${code}/merges/99`, { body: { title: 'x' } }), 404, 'not_found', '99');
    isError(t, await bob.client.patch(`${repos}/alice/none/merges/1`, { body: { title: 'x' } }), 404, 'not_found', '');
  });

  await t.test(
    'users without access to a private repository get the same 403 for an existing and a missing number',
    async (t) => {
      const hidden = await repository('hidden', 'private');
      await open(hidden);
      const body = { title: 'x', source_branch: 'topic', target_branch: 'main' };
      const answers = [
        await bob.client.patch(`${hidden}/merges/1`, { body: { title: 'x' } }),
        await bob.client.patch(`${hidden}/merges/2`, { body: { title: 'x' } }),
        await bob.client.post(`${hidden}/merges`, { body }),
        await bob.client.post(`${hidden}/merges`, { body: {} }),
      ];
      for (const answer of answers) isError(t, answer, 403, 'forbidden', 'outsider');
      t.strictSame(new Set(answers.map(({ text }) => text)).size, 1);
    },
  );
});
