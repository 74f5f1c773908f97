// Tests of single issues: opening, reading, changing, closing and deleting.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { expect, nobody, repos, tracker, types, type IssueJson } from './tracker.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

void t.test('one issue', async (t) => {
  const { forge, alice, bob, repository, open } = await tracker(t);
  const issues = await repository('code', { issue_code: 'ABC' });
  const label = async (name: string, path = issues): Promise<string> =>
    (
      expect(await alice.client.post(path.replace(/issues$/, 'labels'), { body: { name, color: 'd73a4a' } }), 201)
        .body as { readonly id: string }
    ).id;
  const milestone = async (title: string, path = issues): Promise<string> =>
    (
      expect(
        await alice.client.post(path.replace(/issues$/, 'milestones'), { body: { title, due_date: '2028-01-01' } }),
        201,
      ).body as { readonly id: string }
    ).id;
  const [later, wanted, first] = [await label('later'), await label('Wanted'), await milestone('First')];
  const refused = async (body: object, detail: RegExp, path = issues): Promise<void> => {
    const answer = await alice.client.post(path, { body: { title: 'x', issue_type_id: types.bug, ...body } });
    isError(t, answer, 400, 'validation_failed', JSON.stringify(body).slice(0, 80));
    t.match((answer.body as { readonly detail: string }).detail, detail);
  };

  await t.test('POST with only title and type: 201 with every field of the issue object', async (t) => {
    const made = await open(issues, { title: 'Login fails', issue_type_id: types.bug }, bob.client);
    t.match(made.id, uuid);
    const person = { id: bob.id, username: 'bob', display_name: '', avatar_url: '' };
    const { id: repoId } = (await alice.client.get(`${repos}/alice/code`)).body as { readonly id: string };
    t.strictSame(made, {
      id: made.id,
      repo_id: repoId,
      author_id: bob.id,
      number: 1,
      author: person,
      title: 'Login fails',
      description: '',
      state: 'open',
      issue_status: 'queued',
      priority: 'none',
      locked: false,
      closed_at: null,
      created_at: made['created_at'],
      updated_at: made['created_at'],
      issue_type: {
        id: types.bug,
        name: 'bug',
        display_name: 'Bug',
        description: 'Something does not work as it should',
        color: 'cf222e',
        icon: 'bug',
        is_subtask: false,
        position: 5,
      },
      parent_id: null,
      parent: null,
      children_count: 0,
      comments_count: 0,
      links_count: 0,
      watchers_count: 1,
      due_date: null,
      components: [],
      fix_versions: [],
      affects_versions: [],
      story_points: null,
      input_tokens: null,
      output_tokens: null,
      assumptions: null,
      acceptance_criteria: null,
      labels: [],
      assignees: [],
      milestone: null,
      blocked_by: [],
      watching: true,
    });
    t.strictSame((await bob.client.get(`${issues}/1`)).body, made, 'GET answers the same');
    t.strictSame((await forge.anonymous.get(`${issues}/1`)).body, { ...made, watching: false });
  });

  await t.test('POST with all members', async (t) => {
    const body = {
      title: 'All of it',
      issue_type_id: types.story,
      description: '# Why',
      priority: 'critical',
      milestone_id: first,
      label_ids: [wanted, later],
      inline_labels: [
        { name: 'WANTED', color: '000000' },
        { name: 'fresh', color: '00ff00' },
      ],
      assignee_ids: [bob.id, alice.id, bob.id],
      parent_id: (await open(issues)).id,
      due_date: '2028-02-29',
      story_points: 0,
      input_tokens: 12,
      output_tokens: 9007199254740991,
      issue_status: 'blocked',
      assumptions: 'a',
      acceptance_criteria: 'b',
    };
    const made = await open(issues, body);
    t.match(made, {
      title: 'All of it',
      description: '# Why',
      priority: 'critical',
      issue_type: { name: 'story' },
      milestone: { id: first, title: 'First', due_date: '2028-01-01', state: 'open' },
      parent_id: body.parent_id,
      parent: { id: body.parent_id, number: made.number - 1, title: 'An issue' },
      due_date: '2028-02-29',
      story_points: 0,
      input_tokens: 12,
      output_tokens: 9007199254740991,
      issue_status: 'blocked',
      assumptions: 'a',
      acceptance_criteria: 'b',
      watchers_count: 2,
    });
    const names = (member: string, name: string) =>
      (made[member] as readonly Readonly<Record<string, unknown>>[]).map((one) => one[name]);
    t.strictSame(names('labels', 'name'), ['fresh', 'later', 'Wanted']);
    t.strictSame(names('assignees', 'username'), ['alice', 'bob']);
    t.match(await open(issues, { assumptions: '', acceptance_criteria: '', milestone_id: null, due_date: null }), {
      assumptions: null,
      acceptance_criteria: null,
      milestone: null,
      due_date: null,
    });
  });

  await t.test(
    'POST: 400 for members that are missing, malformed, out of bounds or refer to unknown things',
    async () => {
      for (const [body, detail] of [
        [{ title: undefined }, /"title"/],
        [{ title: '' }, /"title"/],
        [{ title: ' ' }, /"title"/],
        [{ title: 'x'.repeat(256) }, /"title"/],
        [{ issue_type_id: undefined }, /"issue_type_id"/],
        [{ issue_type_id: 'bug' }, /"issue_type_id"/],
        [{ issue_type_id: nobody }, /"issue_type_id"/],
        [{ description: null }, /"description"/],
        [{ description: 'x'.repeat(65_537) }, /"description"/],
        [{ priority: 'urgent' }, /"priority"/],
        [{ issue_status: 'open' }, /"issue_status"/],
        [{ milestone_id: 'first' }, /"milestone_id"/],
        [{ milestone_id: nobody }, /./],
        [{ label_ids: [nobody] }, /./],
        [{ label_ids: wanted }, /"label_ids"/],
        [{ label_ids: Array.from({ length: 101 }, () => wanted) }, /"label_ids"/],
        [{ inline_labels: [{ name: 'x' }] }, /"inline_labels/],
        [{ assignee_ids: [nobody] }, /"assignee_ids"/],
        [{ parent_id: '7' }, /"parent_id"/],
        [{ parent_id: nobody }, /"parent_id"/],
        [{ due_date: '2026-02-30' }, /"due_date"/],
        [{ due_date: '' }, /"due_date"/],
        [{ story_points: -1 }, /"story_points"/],
        [{ story_points: 1.5 }, /"story_points"/],
        [{ input_tokens: '5' }, /"input_tokens"/],
        [{ output_tokens: -1 }, /"output_tokens"/],
      ] as const)
        await refused(body, detail);
    },
  );

  await t.test('400 for labels, milestones and parents of another repository', async () => {
    const other = await repository('other');
    await refused({ label_ids: [await label('elsewhere', other)] }, /./);
    await refused({ milestone_id: await milestone('elsewhere', other) }, /./);
    await refused({ parent_id: (await open(other)).id }, /"parent_id"/);
  });

  await t.test(
    'strict decoding: issue_type is refused with a remedy, any other unknown field with a hint',
    async (t) => {
      const at = `${issues}/${(await open(issues)).number}`;
      for (const issue_type of ['bug', { id: types.bug }, null])
        for (const answer of [
          await alice.client.post(issues, { body: { title: 'x', issue_type } }),
          await alice.client.patch(at, { body: { issue_type } }),
        ]) {
          t.equal(answer.status, 400);
          t.equal((answer.body as { error: string }).error, 'issue_type is read-only; use issue_type_id');
          t.match((answer.body as { detail: string }).detail, /issue_type_id/);
        }
      for (const [method, path, body, detail] of [
        ['POST', issues, { title: 'x', issue_type_id: types.bug, state: 'open' }, /"state"/],
        ['PATCH', at, { state: 'closed' }, /"state"/],
        ['PATCH', at, { parent_id: nobody }, /parent/],
        ['PATCH', at, { inline_labels: [] }, /"inline_labels"/],
      ] as const) {
        const answer = await alice.client.request(method, path, { body });
        isError(t, answer, 400, 'unknown_field', `${method} ${JSON.stringify(body)}`);
        t.match((answer.body as { detail: string }).detail, detail);
      }
    },
  );

  await t.test('assignees must be able to read the repository', async (t) => {
    const hidden = await repository('hidden', { visibility: 'private' });
    await refused({ assignee_ids: [alice.id, bob.id] }, /"assignee_ids"/, hidden);
    t.equal(((await open(hidden, { assignee_ids: [alice.id] }))['assignees'] as object[]).length, 1);
    expect(await alice.client.put(`${repos}/alice/hidden/collaborators/bob`, { body: { role: 'read' } }), 204);
    const administrator = await forge.administrator();
    const { id } = (await administrator.get('/api/v1/auth/me')).body as { readonly id: string };
    t.equal(((await open(hidden, { assignee_ids: [bob.id, id] }))['assignees'] as object[]).length, 2);
  });

  await t.test('creating inline labels needs label.create: 403', async (t) => {
    const body = { title: 'x', issue_type_id: types.bug, inline_labels: [{ name: 'by bob', color: '00ff00' }] };
    t.equal((await bob.client.post(issues, { body })).status, 403);
  });

  await t.test('PATCH changes only the given members; null clears, and a set replaces', async (t) => {
    const made = await open(issues, {
      milestone_id: first,
      due_date: '2026-01-01',
      story_points: 1,
      input_tokens: 2,
      output_tokens: 3,
      label_ids: [later],
      assignee_ids: [bob.id],
    });
    const at = `${issues}/${made.number}`;
    const patch = async (body: object) => expect(await alice.client.patch(at, { body }), 200).body as IssueJson;
    t.strictSame(await patch({}), made, 'nothing');
    for (const [member, value] of [
      ['title', 'New'],
      ['description', 'd'],
      ['priority', 'low'],
      ['issue_status', 'completed'],
      ['locked', true],
      ['due_date', '2027-01-01'],
      ['story_points', 5],
      ['input_tokens', 0],
      ['output_tokens', 7],
      ['assumptions', 'a'],
      ['acceptance_criteria', 'c'],
    ] as const) {
      const before = (await alice.client.get(at)).body as IssueJson;
      const after = await patch({ [member]: value });
      t.strictSame(after, { ...before, [member]: value, updated_at: after.updated_at }, member);
    }
    t.match(await patch({ issue_type_id: types.feature }), { issue_type: { name: 'feature' } });
    t.match(await patch({ label_ids: [wanted] }), { labels: [{ name: 'Wanted' }], assignees: [{ id: bob.id }] });
    t.match(await patch({ assignee_ids: [alice.id] }), { assignees: [{ id: alice.id }], watchers_count: 2 });
    t.match(await patch({ label_ids: [], assignee_ids: [] }), { labels: [], assignees: [] });
    for (const [member, none] of [
      ['milestone_id', { milestone: null }],
      ['due_date', { due_date: null }],
      ['story_points', { story_points: null }],
      ['input_tokens', { input_tokens: null }],
      ['output_tokens', { output_tokens: null }],
    ] as const)
      t.match(await patch({ [member]: null }), none, member);
    t.match(await patch({ assumptions: '', acceptance_criteria: '' }), {
      assumptions: null,
      acceptance_criteria: null,
    });
    for (const body of [
      { title: null },
      { title: '' },
      { locked: null },
      { issue_type_id: null },
      { label_ids: null },
      { label_ids: [nobody] },
      { issue_type_id: nobody },
      { assignee_ids: [nobody] },
    ])
      t.equal((await alice.client.patch(at, { body })).status, 400, JSON.stringify(body));
    t.equal((await alice.client.patch(`${issues}/9999`, { body: { title: 'x' } })).status, 404);
    const put = await alice.client.put(at, { body: { title: 'x' } });
    t.equal(put.status, 405);
    t.match(put.headers.get('allow') ?? '', /PATCH/);
  });

  await t.test(
    'PATCH, close and reopen are for the author and holders of issue.write; 403 for another reader',
    async (t) => {
      const at = `${issues}/${(await open(issues, {}, bob.client)).number}`;
      const { client: carol } = await forge.createUser('carol');
      const each = async (client: typeof carol) => [
        (await client.patch(at, { body: { priority: 'low' } })).status,
        (await client.post(`${at}/close`)).status,
        (await client.post(`${at}/reopen`)).status,
      ];
      t.strictSame(await each(bob.client), [200, 204, 204], 'the author');
      t.strictSame(await each(carol), [403, 403, 403]);
      expect(await alice.client.put(`${repos}/alice/code/collaborators/carol`, { body: { role: 'triage' } }), 204);
      t.strictSame(await each(carol), [200, 204, 204], 'triage');
      t.equal((await carol.delete(at)).status, 403, 'only the owner may delete');
    },
  );

  await t.test(
    'close sets closed_at and the state, reopen resets them; the repository record counts open issues',
    async (t) => {
      const own = await repository('counted');
      await open(own);
      await open(own);
      const count = async () =>
        ((await alice.client.get(`${repos}/alice/counted`)).body as Record<string, unknown>)['open_issues_count'];
      t.equal(await count(), 2);
      for (let round = 0; round < 2; round++) t.equal((await alice.client.post(`${own}/1/close`)).status, 204);
      const closed = (await alice.client.get(`${own}/1`)).body as IssueJson;
      t.equal(closed['state'], 'closed');
      t.equal(closed['closed_at'], closed.updated_at);
      t.equal(await count(), 1);
      t.equal((await alice.client.post(`${own}/1/reopen`)).status, 204);
      t.match((await alice.client.get(`${own}/1`)).body, { state: 'open', closed_at: null });
      t.equal((await alice.client.post(`${own}/9/close`)).status, 404);
      t.equal((await alice.client.post(`${own}/9/reopen`)).status, 404);
    },
  );

  await t.test('DELETE: 204, its number is not reused, its children remain', async (t) => {
    const own = await repository('deleted');
    const { id: parent_id } = await open(own);
    await open(own, { parent_id });
    t.equal((await alice.client.delete(`${own}/1`)).status, 204);
    t.equal((await alice.client.get(`${own}/1`)).status, 404);
    t.equal((await alice.client.delete(`${own}/1`)).status, 404);
    t.match((await alice.client.get(`${own}/2`)).body, { parent_id: null, parent: null });
    t.equal((await alice.client.delete(`${own}/2`)).status, 204);
    t.equal((await open(own)).number, 3);
  });

  await t.test('an issue can be addressed by the issue code of its repository; another code is 404', async (t) => {
    for (const name of ['1', 'ABC-1']) t.match((await alice.client.get(`${issues}/${name}`)).body, { number: 1 });
    for (const name of ['XYZ-1', 'abc-1', 'ABC-0', 'ABC-9999', '0', '9999999999'])
      t.equal((await alice.client.get(`${issues}/${name}`)).status, 404, name);
    for (const name of ['one', 'ABC_1', '1.5', '-1'])
      t.equal((await alice.client.get(`${issues}/${name}`)).status, 400, name);
    for (const route of [
      'PATCH',
      'DELETE',
      'POST /close',
      'POST /reopen',
      'GET /children',
      'PUT /parent',
      'DELETE /parent',
      'GET /comments',
      'GET /description-history',
      'GET /links',
      'PUT /subscription',
      'DELETE /subscription',
    ]) {
      const [method = '', tail = ''] = route.split(' ');
      for (const [name, status] of [
        ['one', 400],
        ['XYZ-1', 404],
      ] as const) {
        const body = method === 'GET' ? {} : { body: tail === '/parent' ? { parent_number: 2 } : {} };
        t.equal((await alice.client.request(method, `${issues}/${name}${tail}`, body)).status, status, route);
      }
    }
    const plain = await repository('plain');
    await open(plain);
    t.equal((await alice.client.get(`${plain}/ABC-1`)).status, 404);
  });

  await t.test('labels and milestones that are deleted are removed from issues', async (t) => {
    const [gone, over] = [await label('gone'), await milestone('Over')];
    const { number } = await open(issues, { label_ids: [gone, later], milestone_id: over });
    t.match((await alice.client.get(`${repos}/alice/code/milestones/${over}`)).body, {
      open_issues: 1,
      closed_issues: 0,
    });
    t.equal((await alice.client.delete(`${repos}/alice/code/labels/${gone}`)).status, 204);
    t.equal((await alice.client.delete(`${repos}/alice/code/milestones/${over}`)).status, 204);
    t.match((await alice.client.get(`${issues}/${number}`)).body, { labels: [{ name: 'later' }], milestone: null });
  });

  await t.test('a user who opened issues cannot be deleted: 409 with the reason', async (t) => {
    const eve = await forge.createUser('eve');
    const { number } = await open(issues, { assignee_ids: [eve.id] }, eve.client);
    const administrator = await forge.administrator();
    const refusal = await administrator.delete(`/api/v1/admin/users/${eve.id}`);
    t.equal(refusal.status, 409, refusal.text);
    t.match(refusal.text, /issues/);
    t.equal((await alice.client.delete(`${issues}/${number}`)).status, 204);
    t.equal((await administrator.delete(`/api/v1/admin/users/${eve.id}`)).status, 204);
  });
});
