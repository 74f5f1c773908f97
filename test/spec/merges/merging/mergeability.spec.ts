// Tests of mergeability: each state, every blocking rule together, and what resolves them.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { branch, commit, expect, workshop } from '../workshop.ts';

void t.test('GET /merges/{number}/mergeability', async (t) => {
  const { forge, alice, bob, repository, fork, open } = await workshop(t);
  const ask = async (code: string, number = 1, query = ''): Promise<unknown> =>
    expect(await forge.anonymous.get(`${code}/merges/${number}/mergeability${query}`), 200).body;
  const put = async (code: string, on: string, name: string, content: string): Promise<void> => {
    const there = await alice.client.get(`${code}/contents/${name}?ref=${on}`);
    const body = { message: `Write ${name}`, branch: on, content: Buffer.from(content).toString('base64') };
    const { sha } = there.status === 200 ? (there.body as { readonly sha: string }) : {};
    expect(
      await alice.client.put(`${code}/contents/${name}`, { body: { ...body, sha } }),
      sha === undefined ? 201 : 200,
    );
  };
  const clean = { state: 'clean', conflicts: [], rules: [] };
  const conflict = {
    code: 'merge_conflict',
    detail: 'Merge the target into the source by hand, or rebase it, and push the outcome',
  };

  await t.test('clean, in conflict as soon as a branch moves, then clean again', async (t) => {
    const code = await repository('moving');
    await open(code);
    t.strictSame(await ask(code), clean);
    await put(code, 'main', 'same.txt', 'ours\n');
    t.strictSame(await ask(code), clean);
    await put(code, 'topic', 'same.txt', 'theirs\n');
    for (const strategy of ['merge', 'squash', 'rebase'])
      t.strictSame(
        await ask(code, 1, `?strategy=${strategy}`),
        { state: 'conflict', conflicts: ['same.txt'], rules: [conflict] },
        strategy,
      );
    await put(code, 'topic', 'same.txt', 'ours\n');
    t.strictSame(await ask(code), clean);
    t.strictSame(await ask(code, 1, '?strategy=rebase'), {
      state: 'conflict',
      conflicts: ['same.txt'],
      rules: [conflict],
    });
  });

  await t.test('lists every blocking rule and its remedy', async (t) => {
    const code = await repository('blocked');
    await open(code, { draft: true, reviewer_ids: [bob.id] });
    const protection = { required_approvals: 2, required_pipeline: { on_merge: true } };
    expect(await alice.client.put(`${code}/branches/main/protection`, { body: protection }), 200);
    const rules = [
      { code: 'draft_not_ready', detail: 'Say that it is no draft any more' },
      { code: 'pending_reviews', detail: 'Approval by bob; 2 more approvals by others who may push' },
      { code: 'pipeline_missing', detail: 'Let a pipeline of the source run' },
    ];
    t.strictSame(await ask(code), { state: 'blocked', conflicts: [], rules });
    await put(code, 'topic', 'same.txt', 'theirs\n');
    expect(await alice.client.delete(`${code}/branches/main/protection`), 204);
    await put(code, 'main', 'same.txt', 'ours\n');
    expect(await alice.client.patch(`${code}/merges/1`, { body: { draft: false, reviewer_ids: [] } }), 200);
    t.strictSame(await ask(code), { state: 'conflict', conflicts: ['same.txt'], rules: [conflict] });
    expect(await alice.client.patch(`${code}/merges/1`, { body: { state: 'closed' } }), 200);
    t.match(await ask(code), { state: 'blocked', conflicts: [] }, 'no conflict is reported for a closed request');
  });

  await t.test('the state of a request that is closed, has lost its source, or is merged', async (t) => {
    const code = await repository('over');
    await open(code);
    expect(await alice.client.patch(`${code}/merges/1`, { body: { state: 'closed' } }), 200);
    t.strictSame(await ask(code), {
      state: 'blocked',
      conflicts: [],
      rules: [{ code: 'closed', detail: 'Reopen it' }],
    });
    expect(await alice.client.patch(`${code}/merges/1`, { body: { state: 'open' } }), 200);
    const tip = await commit(alice.client, code, 'topic', 'again.txt');
    expect(await alice.client.delete(`${code}/branches/topic`), 204);
    t.strictSame(await ask(code), {
      state: 'blocked',
      conflicts: [],
      rules: [{ code: 'source_branch_missing', detail: 'Push "topic" to where it was, or close the merge request' }],
    });
    expect(await alice.client.post(`${code}/branches`, { body: { name: 'topic', base_ref: tip } }), 201);
    expect(await alice.client.post(`${code}/merges/1/merge`), 200);
    t.strictSame(await ask(code), {
      state: 'blocked',
      conflicts: [],
      rules: [{ code: 'already_merged', detail: 'Nothing is left to be merged' }],
    });
  });

  await t.test('a request from a fork has a state after its commits were copied', async (t) => {
    const code = await repository('offered');
    const theirs = await fork(code);
    await open(code, { source_branch: 'bob:fix' }, bob.client);
    t.strictSame(await ask(code), clean);
    await branch(bob.client, theirs, 'other');
    await commit(bob.client, theirs, 'fix', 'late.txt');
    await forge.forge.drained();
    t.strictSame(await ask(code), clean);
  });

  await t.test('400 for an unknown strategy, 404 for an unknown request and a private repository', async (t) => {
    const code = await repository('hidden', 'private');
    await open(code);
    const at = `${code}/merges/1/mergeability`;
    isError(t, await alice.client.get(`${at}?strategy=octopus`), 400, 'validation_failed', 'validation_failed');
    isError(t, await alice.client.get(`${code}/merges/9/mergeability`), 404, 'not_found', 'not_found');
    for (const client of [bob.client, forge.anonymous]) isError(t, await client.get(at), 404, 'not_found', 'not_found');
    const issues = await forge.pat(alice.client, ['issue:read']);
    isError(t, await issues.get(at), 403, 'insufficient_scope', 'insufficient_scope');
  });
});
