// Tests of disabling the plugin `issues` or `planning` temporarily. Meanwhile its data is kept but not accessible, and
// deleting a record that the data refers to succeeds or is refused as documented. After the plugin is enabled again,
// nothing refers to deleted records.
import t, { type Test } from 'tap';
import { databaseDoor } from '#test/support/servers/database-door';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge, type TestForge } from '#test/support/forge';
import { onDatabase } from '#test/support/marks';
import { expect, nobody, repos, types, type IssueJson } from './tracker.ts';

const issueTables = [
  'issues_type',
  'issues_type_scheme',
  'issues_issue',
  'issues_number',
  'issues_issue_label',
  'issues_assignee',
  'issues_watcher',
  'issues_component',
  'issues_version',
  'issues_issue_component',
  'issues_issue_version',
  'issues_comment',
  'issues_description_edit',
  'issues_link',
];

/** All rows of each table as one text. */
async function contents(run: ReturnType<typeof databaseDoor>['run'], tables: readonly string[]): Promise<object> {
  const all: Record<string, unknown> = {};
  for (const table of tables)
    all[table] = (
      await run(`select coalesce(string_agg(r::text, e'\\n' order by r::text), '') as rows from ${table} r`)
    )[0]?.['rows'];
  return all;
}

interface Inhabited {
  readonly first: TestForge;
  /** Names of all MCP tools. */
  readonly tools: readonly string[];
  readonly author: { readonly id: string };
  readonly reader: { readonly id: string };
  readonly label: string;
  readonly milestone: string;
}

/** A stopped forge with a repository `code` whose issues use every feature, and another one, `doomed`. */
async function inhabited(t: Test): Promise<Inhabited> {
  const first = await startTestForge(t);
  const [author, reader] = [await first.createUser('author'), await first.createUser('reader')];
  const admin = await first.administrator();
  let [label, milestone] = ['', ''];
  for (const name of ['doomed', 'code']) {
    expect(await admin.post(repos, { body: { name, visibility: 'public' } }), 201);
    const at = `${repos}/admin/${name}`;
    const id = async (path: string, body: object) =>
      (expect(await admin.post(`${at}/${path}`, { body }), 201).body as { readonly id: string }).id;
    label = await id('labels', { name: 'Bug', color: 'd73a4a' });
    milestone = await id('milestones', { title: 'First' });
    const body = { title: 'An issue', issue_type_id: types.bug };
    await id('issues', {
      ...body,
      label_ids: [label],
      milestone_id: milestone,
      component_ids: [await id('components', { name: 'core' })],
      fix_version_ids: [await id('versions', { name: '1.0' })],
      assignee_ids: [reader.id],
    });
    expect(await author.client.post(`${at}/issues`, { body }), 201);
    expect(await admin.patch(`${at}/issues/2`, { body: { description: 'Changed' } }), 200);
    expect(await author.client.post(`${at}/issues/1/comments`, { body: { body: 'Hm' } }), 201);
    expect(await admin.post(`${at}/issues/1/links`, { body: { type: 'blocks', target_number: 2 } }), 201);
    expect(await reader.client.put(`${at}/issues/2/subscription`), 204);
  }
  const tools = await toolsOf(first);
  await first.stop();
  return { first, tools, author, reader, label, milestone };
}

const toolsOf = async ({ forge }: TestForge): Promise<readonly string[]> =>
  (await forge.port('PluginInventory').list()).flatMap(({ tools }) => tools);

void onDatabase(t).test('with issues disabled, and enabled again', async (t) => {
  const { first, tools, author, reader, label, milestone } = await inhabited(t);
  const door = databaseDoor();
  const off = await startTestForge(t, {
    after: first,
    environment: { HEXFORGE_PLUGINS: '-issues' },
    definitions: [door.definition],
  });
  const before = await contents(door.run, issueTables);
  const admin = await off.administrator();
  const at = `${repos}/admin/code`;

  await t.test('the routes of issues are 404 for every caller, and the MCP tools of issues do not exist', async (t) => {
    const operations = first.contract.operations.filter(({ tag }) => tag === 'issues');
    t.ok(operations.length > 30, `${operations.length} operations`);
    for (const { method, path } of operations) {
      const named = path
        .replace('{owner}', 'admin')
        .replace('{repo}', 'code')
        .replace('{number}', '1')
        .replaceAll(/\{\w+\}/g, nobody);
      isError(
        t,
        await admin.request(method, named, method === 'GET' ? {} : { body: {} }),
        404,
        'not_found',
        `${method} ${path}`,
      );
    }
    t.ok(tools.includes('list_issues'));
    t.strictSame(
      await toolsOf(off),
      tools.filter((tool) => !/issue|comment/.test(tool)),
    );
  });

  await t.test('repositories, labels and milestones still work, without issue counts', async (t) => {
    t.match((await admin.get(at)).body, { name: 'code', open_issues_count: 0 });
    t.match((await admin.get(`${at}/labels`)).body, [{ id: label }]);
    t.match((await admin.get(`${at}/milestones`)).body, [{ id: milestone, open_issues: 0, closed_issues: 0 }]);
    expect(await admin.patch(at, { body: { description: 'Meanwhile' } }), 200);
    t.strictSame(await contents(door.run, issueTables), before, 'its tables are untouched');
  });

  await t.test('an author of issues or comments cannot be deleted, and the refusal names the table', async (t) => {
    const refused = await admin.delete(`/api/v1/admin/users/${author.id}`);
    isError(t, refused, 409, 'conflict', 'an author');
    t.match(refused.body, { reason: /"issues_(issue|comment)"/ });
    expect(await admin.delete(`/api/v1/admin/users/${reader.id}`), 204);
  });

  await t.test('repositories, labels and milestones can be deleted', async () => {
    expect(await admin.delete(`${repos}/admin/doomed`, { body: { confirmation: 'admin/doomed' } }), 204);
    expect(await admin.delete(`${at}/labels/${label}`), 204);
    expect(await admin.delete(`${at}/milestones/${milestone}`), 204);
  });
  await off.stop();

  await t.test('enabled again it has its data, and no row refers to a deleted record', async (t) => {
    const again = databaseDoor();
    const on = await startTestForge(t, { after: off, definitions: [again.definition] });
    await on.forge.drained();
    const client = await on.administrator();
    const { items } = expect(await client.get(`${at}/issues`), 200).body as { readonly items: readonly IssueJson[] };
    t.match(items, [
      { number: 2, description: 'Changed' },
      { number: 1, labels: [], milestone: null, assignees: [], comments_count: 1, components: [{ name: 'core' }] },
    ]);
    t.match((await client.get(`${at}/issues/1/links`)).body, [{ type: 'blocks' }]);
    t.equal((await client.get(`${at}/issues/1`)).status, 200);
    t.match((await client.post(`${at}/issues`, { body: { title: 'Next', issue_type_id: types.task } })).body, {
      number: 3,
    });
    const left = await again.run(`select
      (select count(*) from issues_issue_label) as labels,
      (select count(*) from issues_issue where milestone_id is not null) as milestones,
      (select count(*) from issues_issue) as issues,
      (select count(*) from issues_number) as numbers,
      (select count(*) from issues_component) as components,
      (select count(*) from issues_comment) as comments,
      (select count(*) from issues_assignee) as assignees`);
    t.strictSame(Object.values(left[0] ?? {}).map(Number), [0, 0, 3, 1, 1, 1, 0], JSON.stringify(left));
    t.match(await client.delete(`/api/v1/admin/users/${author.id}`), { status: 409, body: { reason: /issues/ } });
  });
});

void onDatabase(t).test(
  'with planning disabled issues remain usable; enabled again it has its data, except that of deleted repositories',
  async (t) => {
    const { first, author, label, milestone } = await inhabited(t);
    const door = databaseDoor();
    const off = await startTestForge(t, {
      after: first,
      environment: { HEXFORGE_PLUGINS: '-planning' },
      definitions: [door.definition],
    });
    const planning = ['planning_label', 'planning_milestone'];
    const before = await contents(door.run, planning);
    const admin = await off.administrator();
    const at = `${repos}/admin/code`;
    for (const { method, path } of first.contract.operations.filter(({ tag }) => tag === 'planning')) {
      const named = path
        .replace('{owner}', 'admin')
        .replace('{repo}', 'code')
        .replaceAll(/\{\w+\}/g, label);
      isError(
        t,
        await admin.request(method, named, method === 'GET' ? {} : { body: {} }),
        404,
        'not_found',
        `${method} ${path}`,
      );
    }
    t.match((await admin.get(`${at}/issues/1`)).body, { labels: [], milestone: null });
    t.match((await admin.get(`${at}/issues/search?q=issue&facets=true`)).status, 200);
    t.strictSame(await contents(door.run, planning), before, 'its tables are untouched');
    isError(t, await admin.delete(`/api/v1/admin/users/${author.id}`), 409, 'conflict', 'an author');
    expect(await admin.delete(`${at}/issues/1`), 204);
    expect(await admin.delete(`${repos}/admin/doomed`, { body: { confirmation: 'admin/doomed' } }), 204);
    t.strictSame(
      (
        await door.run(
          'select (select count(*) from planning_label) + (select count(*) from planning_milestone) as count',
        )
      ).map(({ count }) => Number(count)),
      [2],
      'rows of the deleted repository are gone',
    );
    await off.stop();

    const on = await startTestForge(t, { after: off });
    await on.forge.drained();
    const client = await on.administrator();
    t.match((await client.get(`${at}/labels`)).body, [{ id: label }]);
    t.match((await client.get(`${at}/milestones`)).body, [{ id: milestone, open_issues: 0, closed_issues: 0 }]);
    t.match((await client.patch(`${at}/issues/2`, { body: { label_ids: [label], milestone_id: milestone } })).body, {
      labels: [{ id: label }],
      milestone: { id: milestone },
    });
  },
);
