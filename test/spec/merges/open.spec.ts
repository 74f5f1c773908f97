// Tests of opening a merge request.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { onDatabase } from '#test/support/marks';
import { branch, commit, expect, nobody, repos, workshop } from './workshop.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

void t.test('opening a merge request', async (t) => {
  const { forge, alice, bob, repository, open, fetch } = await workshop(t);
  const code = await repository('code');
  const { id: repoId } = (await alice.client.get(code)).body as { readonly id: string };
  const refused = async (body: object, detail: RegExp, client = alice.client): Promise<void> => {
    const answer = await client.post(`${code}/merges`, {
      body: { title: 'x', source_branch: 'topic', target_branch: 'main', ...body },
    });
    isError(t, answer, 400, 'validation_failed', JSON.stringify(body).slice(0, 80));
    t.match((answer.body as { readonly detail: string }).detail, detail);
  };
  const planned = async (what: 'labels' | 'milestones', body: object, path = code): Promise<string> =>
    (expect(await alice.client.post(`${path}/${what}`, { body }), 201).body as { readonly id: string }).id;
  const label = await planned('labels', { name: 'Bug', color: 'd73a4a' });
  const milestone = await planned('milestones', { title: 'First', due_date: '2028-01-01' });

  await t.test('POST with only title and branches: 201 with every field of the merge request object', async (t) => {
    const made = await open(code, { title: 'Mend it' });
    t.match(made.id, uuid);
    t.strictSame(made, {
      id: made.id,
      repo_id: repoId,
      number: 1,
      title: 'Mend it',
      description: '',
      state: 'open',
      is_draft: false,
      source_branch: 'topic',
      target_branch: 'main',
      source_branch_protected: false,
      source_repo: { id: repoId, owner: 'alice', name: 'code' },
      author: { id: alice.id, username: 'alice', display_name: '', avatar_url: '' },
      assignees: [],
      reviewers: [],
      labels: [],
      milestone: null,
      ci_status: 'none',
      commits_count: 1,
      additions: 1,
      deletions: 0,
      diff: made['diff'],
      diff_suppressed: false,
      files: made['files'],
      diff_caps: made['diff_caps'],
      created_at: made['created_at'],
      updated_at: made['created_at'],
    });
    t.strictSame(await fetch(code, 1), made, 'the same as a fetch');
  });

  await t.test('POST with all other members', async (t) => {
    await branch(alice.client, code, 'feature/one');
    const made = await open(code, {
      source_branch: 'feature/one',
      description: '**why**',
      body: 'loses',
      draft: true,
      label_ids: [label, label],
      assignee_ids: [bob.id],
      reviewer_ids: [bob.id],
      milestone_id: milestone,
    });
    const person = { id: bob.id, username: 'bob', display_name: '', avatar_url: '' };
    t.match(made, { number: 2, description: '**why**', is_draft: true, source_branch: 'feature/one' });
    t.strictSame(made['labels'], [{ id: label, name: 'Bug', color: 'd73a4a' }]);
    t.strictSame(made['assignees'], [person]);
    t.strictSame(made['reviewers'], [{ user: person, state: 'pending' }]);
    t.strictSame(made['milestone'], { id: milestone, title: 'First', due_date: '2028-01-01', state: 'open' });
    await branch(alice.client, code, 'two');
    t.match(await open(code, { source_branch: 'two', body: 'an alias' }), { description: 'an alias', number: 3 });
    t.match(
      (await alice.client.get(code)).body,
      { open_prs_count: 3 },
      'the record of the repository counts open requests',
    );
  });

  await t.test('the source may be a protected branch, which source_branch_protected shows', async (t) => {
    await branch(alice.client, code, 'stable');
    expect(await alice.client.put(`${code}/branches/stable/protection`, { body: {} }), 200);
    t.equal((await open(code, { source_branch: 'stable' }))['source_branch_protected'], true);
  });

  await t.test('400 for members that are missing, of the wrong type, unknown or not allowed', async (t) => {
    for (const member of ['title', 'source_branch', 'target_branch'])
      await refused({ [member]: undefined }, new RegExp(member));
    await refused({ title: '' }, /title/);
    await refused({ title: ' \n' }, /title/);
    await refused({ title: 'x'.repeat(256) }, /title/);
    await refused({ description: 'x'.repeat(65_537) }, /description/);
    await refused({ draft: 'true' }, /draft/);
    for (const name of ['none', '-x', 'a..b', '', 'refs/heads/topic', `${'a'.repeat(300)}`]) {
      await refused({ source_branch: name }, /source_branch/);
      await refused({ target_branch: name }, /target_branch/);
    }
    const tip = await commit(alice.client, code, 'topic', 'more.txt');
    await refused({ source_branch: tip }, /source_branch/);
    await refused({ source_branch: 'main' }, /same/);
    await refused({ source_branch: 'nobody:topic' }, /source_branch/);
    await refused({ source_branch: ':topic' }, /source_branch/);
    await branch(alice.client, code, 'fresh');
    const fresh = { source_branch: 'fresh' };
    await refused({ ...fresh, label_ids: [nobody] }, /label_ids/);
    await refused({ ...fresh, label_ids: Array.from({ length: 101 }, () => label) }, /label_ids/);
    await refused({ ...fresh, milestone_id: nobody }, /milestone/);
    await refused({ ...fresh, assignee_ids: [bob.id, nobody] }, new RegExp(`assignee_ids.*${nobody}`));
    await refused({ ...fresh, reviewer_ids: [nobody] }, new RegExp(`reviewer_ids.*${nobody}`));
    const other = await repository('other');
    const foreign = await planned('labels', { name: 'Theirs', color: 'd73a4a' }, other);
    await refused({ ...fresh, label_ids: [foreign] }, /label_ids/);
    const odd = await alice.client.post(`${code}/merges`, {
      body: { ...fresh, target_branch: 'main', title: 'x', wat: 1 },
    });
    isError(t, odd, 400, 'unknown_field', '');
    t.equal((await open(code, fresh)).number, 5, 'refused requests used no number');
  });

  await t.test('people who may not read the repository cannot be assignees or reviewers', async (t) => {
    const hidden = await repository('hidden', 'private');
    for (const member of ['assignee_ids', 'reviewer_ids']) {
      const body = { title: 'x', source_branch: 'topic', target_branch: 'main', [member]: [bob.id] };
      isError(t, await alice.client.post(`${hidden}/merges`, { body }), 400, 'validation_failed', '');
    }
  });

  await t.test('409 for an open request of the same branches', async (t) => {
    const body = { title: 'again', source_branch: 'topic', target_branch: 'main' };
    const answer = await alice.client.post(`${code}/merges`, { body });
    isError(t, answer, 409, 'conflict', '');
    t.match((answer.body as { readonly detail: string }).detail, /number is 1/);
    expect(await alice.client.patch(`${code}/merges/1`, { body: { state: 'closed' } }), 200);
    t.equal((await open(code)).state, 'open', 'a closed request does not block a new one');
  });

  await t.test('409 if the target requires a pipeline before a request is opened', async (t) => {
    await branch(alice.client, code, 'release');
    expect(
      await alice.client.put(`${code}/branches/release/protection`, {
        body: { required_pipeline: { on_open: true, on_merge: false } },
      }),
      200,
    );
    const body = { title: 'x', source_branch: 'topic', target_branch: 'release' };
    isError(t, await alice.client.post(`${code}/merges`, { body }), 409, 'pipeline_missing', '');
  });

  await t.test('403 without merge.open, 401 without a credential, 404 without the repository', async (t) => {
    const body = { title: 'x', source_branch: 'fresh', target_branch: 'main' };
    isError(t, await bob.client.post(`${code}/merges`, { body }), 403, 'forbidden', '');
    isError(t, await forge.anonymous.post(`${code}/merges`, { body }), 401, 'unauthorized', '');
    isError(t, await bob.client.post(`${repos}/alice/none/merges`, { body }), 404, 'not_found', '');
  });
});

void onDatabase(t).test(
  'twenty concurrent requests have the numbers 1 to 20, and of twenty for the same branches one is opened',
  async (t) => {
    const { alice, repository, open } = await workshop(t);
    const code = await repository('busy');
    const names = Array.from({ length: 20 }, (_, index) => `b${index}`);
    for (const name of names)
      expect(await alice.client.post(`${code}/branches`, { body: { name, base_ref: 'topic' } }), 201);
    const opened = await Promise.all(names.map((name) => open(code, { source_branch: name })));
    t.strictSame(
      opened.map(({ number }) => number).sort((one, other) => one - other),
      names.map((_, index) => index + 1),
    );
    const body = { title: 'x', source_branch: 'topic', target_branch: 'main' };
    const answers = await Promise.all(names.map(() => alice.client.post(`${code}/merges`, { body })));
    t.strictSame(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 409)]);
    const made = answers.find(({ status }) => status === 201);
    t.match(made?.body, { number: 21 }, 'no number is skipped');
  },
);
