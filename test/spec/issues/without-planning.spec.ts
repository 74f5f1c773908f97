// Tests of issues while the plugin `planning` is disabled: labels and milestone are empty.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import { expect, nobody, repos, types, type IssueJson } from './tracker.ts';

void t.test('issues with planning disabled, and enabled again', async (t) => {
  const first = await startTestForge(t);
  const before = await first.administrator();
  expect(await before.post(repos, { body: { name: 'code', visibility: 'public' } }), 201);
  const [code, issues] = [`${repos}/admin/code`, `${repos}/admin/code/issues`];
  const id = async (path: string, body: object) =>
    (expect(await before.post(`${code}/${path}`, { body }), 201).body as { readonly id: string }).id;
  const label = await id('labels', { name: 'Bug', color: 'd73a4a' });
  const milestone_id = await id('milestones', { title: 'First' });
  const body = { title: 'An issue', issue_type_id: types.bug };
  expect(await before.post(issues, { body: { ...body, label_ids: [label], milestone_id } }), 201);
  await first.stop();

  const off = await startTestForge(t, { after: first, environment: { HEXFORGE_PLUGINS: '-planning' } });
  const admin = await off.administrator();
  t.match((await admin.get(`${issues}/1`)).body, { labels: [], milestone: null });
  t.match(
    (await admin.post(issues, { body: { ...body, label_ids: [], inline_labels: [], milestone_id: null } })).body,
    {
      number: 2,
      labels: [],
      milestone: null,
    },
  );
  for (const asked of [
    { label_ids: [label] },
    { inline_labels: [{ name: 'x', color: '00ff00' }] },
    { milestone_id: nobody },
  ]) {
    const [member = ''] = Object.keys(asked);
    isError(t, await admin.post(issues, { body: { ...body, ...asked } }), 400, 'validation_failed', member);
    if (member !== 'inline_labels')
      isError(t, await admin.patch(`${issues}/2`, { body: asked }), 400, 'validation_failed', `PATCH ${member}`);
  }
  for (const query of ['label=Bug', `milestone_id=${milestone_id}`])
    t.match((await admin.get(`${issues}?${query}`)).body, { items: [], total: 0 }, query);
  t.match((await admin.get(issues)).body, { total: 2 });
  t.match((await admin.patch(`${issues}/1`, { body: { title: 'Meanwhile' } })).body, { title: 'Meanwhile' });
  await off.stop();

  const on = await startTestForge(t, { after: off });
  const after = (await (await on.administrator()).get(`${issues}/1`)).body as IssueJson;
  t.match(
    after,
    { title: 'Meanwhile', labels: [{ id: label }], milestone: { id: milestone_id } },
    'the previous label and milestone',
  );
});
