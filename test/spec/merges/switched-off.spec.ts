// Tests of disabling the plugin `merges` or `planning` temporarily: its data is kept but not accessible; after it is
// enabled again it handles the events about branches, labels and milestones that it missed.
import t, { type Test } from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge, type TestForge } from '#test/support/forge';
import { branch, commit, expect, nobody, repos, type MergeJson } from './workshop.ts';

const code = `${repos}/admin/code`;

interface Inhabited {
  readonly first: TestForge;
  readonly author: { readonly id: string };
  readonly label: string;
  readonly milestone: string;
}

/** A stopped forge with a repository with requests of the branches `topic`, `merged` and `lonely`. */
async function inhabited(t: Test): Promise<Inhabited> {
  const first = await startTestForge(t);
  const author = await first.createUser('author');
  const admin = await first.administrator();
  expect(await admin.post(repos, { body: { name: 'code', visibility: 'public' } }), 201);
  await commit(admin, code, 'main', 'README.md');
  expect(await admin.put(`${code}/collaborators/author`, { body: { role: 'write' } }), 204);
  const made = async (path: string, body: object): Promise<string> =>
    (expect(await admin.post(`${code}/${path}`, { body }), 201).body as { readonly id: string }).id;
  const label = await made('labels', { name: 'Bug', color: 'd73a4a' });
  const milestone = await made('milestones', { title: 'First' });
  for (const name of ['topic', 'onto', 'lonely']) await branch(admin, code, name);
  const body = { title: 'A request', target_branch: 'main', label_ids: [label], milestone_id: milestone };
  expect(await author.client.post(`${code}/merges`, { body: { ...body, source_branch: 'topic' } }), 201);
  await made('merges', { ...body, source_branch: 'lonely', target_branch: 'onto' });
  await first.forge.drained();
  await first.stop();
  return { first, author, label, milestone };
}

void t.test('with merges disabled, and enabled again', async (t) => {
  const { first, author, label, milestone } = await inhabited(t);
  const off = await startTestForge(t, { after: first, environment: { HEXFORGE_PLUGINS: '-merges' } });
  const admin = await off.administrator();

  await t.test('the routes of merge requests are 404, also the deprecated paths', async (t) => {
    const operations = first.contract.operations.filter(({ tag }) => tag === 'merges');
    t.ok(operations.length >= 11, `${operations.length} operations`);
    for (const { method, path } of operations) {
      const named = path
        .replace('{owner}', 'admin')
        .replace('{repo}', 'code')
        .replace('{number}', '1')
        .replaceAll(/\{\w+\}/g, nobody);
      const answer = await admin.request(method, named, method === 'GET' ? {} : { body: {} });
      isError(t, answer, 404, 'not_found', `${method} ${path}`);
    }
  });

  await t.test(
    'other features work: no requests are counted, branches, labels and milestones can be deleted, authors cannot',
    async (t) => {
      t.match((await admin.get(code)).body, { open_prs_count: 0 });
      await commit(admin, code, 'topic', 'meanwhile.txt');
      expect(await admin.delete(`${code}/branches/onto`), 204);
      expect(await admin.delete(`${code}/labels/${label}`), 204);
      expect(await admin.delete(`${code}/milestones/${milestone}`), 204);
      isError(t, await admin.delete(`/api/v1/admin/users/${author.id}`), 409, 'conflict', 'the author');
      await off.forge.drained();
      await off.stop();
    },
  );

  await t.test('enabled again it has handled the events of that time', async (t) => {
    const on = await startTestForge(t, { after: off });
    const client = await on.administrator();
    await on.forge.drained();
    t.match((await client.get(`${code}/merges/1`)).body, {
      state: 'open',
      commits_count: 2,
      diff: /meanwhile/,
      labels: [],
      milestone: null,
      author: { username: 'author' },
    });
    t.match((await client.get(`${code}/merges/2`)).body, { state: 'closed' });
    t.match((await client.get(code)).body, { open_prs_count: 1 });
    const next = { title: 'Next', source_branch: 'lonely', target_branch: 'main' };
    t.match((await client.post(`${code}/merges`, { body: next })).body, { number: 3 });
  });
});

void t.test('with planning disabled, and enabled again', async (t) => {
  const { first, label, milestone } = await inhabited(t);
  const off = await startTestForge(t, { after: first, environment: { HEXFORGE_PLUGINS: '-planning' } });
  const admin = await off.administrator();
  t.match((await admin.get(`${code}/merges/1`)).body, { labels: [], milestone: null });
  t.match((await admin.get(`${code}/merges`)).body, { items: [{ milestone: null }, { milestone: null }] });
  const body = { title: 'x', source_branch: 'lonely', target_branch: 'main' };
  for (const asked of [{ label_ids: [nobody] }, { milestone_id: nobody }]) {
    const [member = ''] = Object.keys(asked);
    isError(t, await admin.post(`${code}/merges`, { body: { ...body, ...asked } }), 400, 'validation_failed', member);
    isError(t, await admin.patch(`${code}/merges/1`, { body: asked }), 400, 'validation_failed', `PATCH ${member}`);
  }
  t.match((await admin.post(`${code}/merges`, { body: { ...body, label_ids: [], milestone_id: null } })).body, {
    number: 3,
    labels: [],
    milestone: null,
  });
  t.match((await admin.patch(`${code}/merges/1`, { body: { title: 'Meanwhile' } })).body, { title: 'Meanwhile' });
  await off.stop();

  const on = await startTestForge(t, { after: off });
  const after = (await (await on.administrator()).get(`${code}/merges/1`)).body as MergeJson;
  t.match(
    after,
    { title: 'Meanwhile', labels: [{ id: label }], milestone: { id: milestone } },
    'the previous label and milestone',
  );
});
