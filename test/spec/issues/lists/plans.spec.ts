// Tests of query plans for lists and searches of issues: no sequential scan over issues for any query, and the same
// number of statements for one row as for a hundred. HEXFORGE_TEST_ISSUES is the number of issues, 10,000 by default.
import t from 'tap';
import { databaseDoor } from '#test/support/servers/database-door';
import { startTestForge } from '#test/support/forge';
import { onDatabase } from '#test/support/marks';
import { planned as plans } from '#test/support/plans';
import { statementRecorder, type Statement } from '#test/support/statements';
import { expect, nobody, repos } from '../tracker.ts';

const repositories = 50;
const count = Number(process.env['HEXFORGE_TEST_ISSUES'] ?? 10_000);

/** Tables that grow with comments, edits, watchers and links. */
const talk = ['issues_comment', 'issues_description_edit', 'issues_watcher', 'issues_link'];
const large = ['issues_open', 'issues_issue', ...talk];

void onDatabase(t).test('lists and searches of issues', { timeout: 600_000 }, async (t) => {
  const recorded = statementRecorder();
  const { definition, run } = databaseDoor();
  const forge = await startTestForge(t, { definitions: [definition] });
  const { client, id: author } = await forge.createUser('alice');
  expect(await client.post(repos, { body: { name: 'code-1', visibility: 'public' } }), 201);
  const bob = await forge.createUser('bob');
  const base = `${repos}/alice/code-1`;
  const made = async (what: string, body: object) =>
    (expect(await client.post(`${base}/${what}`, { body }), 201).body as { readonly id: string }).id;
  const [label, milestone] = [
    await made('labels', { name: 'Bug', color: 'ff0000' }),
    await made('milestones', { title: 'First' }),
  ];
  const [component, version] = [await made('components', { name: 'core' }), await made('versions', { name: '1.0' })];
  // The other repositories are only rows, without git directories.
  await run(`insert into repositories_repository
    select (jsonb_populate_record(r, jsonb_build_object(
      'id', gen_random_uuid(), 'name', 'code-' || n, 'name_key', 'code-' || n))).*
    from repositories_repository r, generate_series(2, ${repositories}) n`);
  // Inserts in chunks, because a statement has a time limit.
  const [each, piece] = [count / repositories, 25];
  for (let from = 1; from <= each; from += piece)
    await run(
      `insert into issues_issue (id, repository_id, number, author_id, title, title_key, title_words, description, description_words, state, status,
      priority, locked, created_at, updated_at, type_id, due_date, milestone_id, story_points, input_tokens, output_tokens)
    select gen_random_uuid(), r.id, n, $1, title, lower(title), lower(title), 'the ' || words, 'the ' || words, case n % 3 when 0 then 'closed' else 'open' end,
      (array['queued', 'in_progress', 'blocked', 'completed', 'canceled'])[1 + n % 5],
      (array['none', 'low', 'medium', 'high', 'critical'])[1 + n % 5], false, now(), now(),
      ('00000000-0000-4000-8000-00000000000' || (1 + n % 7))::uuid,
      case n % 4 when 0 then date '2026-01-01' + n % 300 end, case n % 10 when 0 then $2::uuid end,
      case n % 6 when 0 then n % 13 end, case n % 6 when 1 then n * 10 end, case n % 6 when 2 then n * 10 end
    from generate_series($3::int, $4::int) n cross join repositories_repository r
    cross join lateral (
      select 'Issue ' || n || ' of ' || md5(n || r.name) as title,
        (select string_agg(md5(n || r.name || w), ' ') from generate_series(1, 20) w) as words
    ) texts`,
      [author, milestone, from, Math.min(from + piece - 1, each)],
    );
  await run(
    'update issues_issue set parent_id = p.id from issues_issue p where p.repository_id = issues_issue.repository_id and p.number = 1 and issues_issue.number % 20 = 2',
  );
  for (const [table, column, thing, rest] of [
    ['issues_issue_label', 'label_id', label, ''],
    ['issues_assignee', 'user_id', author, ''],
    ['issues_issue_component', 'component_id', component, ''],
    ['issues_issue_version', 'version_id', version, 'fix'],
    ['issues_issue_version', 'version_id', version, 'affects'],
  ] as const)
    await run(
      `insert into ${table} (issue_id, ${column}${rest && ', kind'}) select id, $1::uuid${rest && `, '${rest}'`} from issues_issue where number % 5 = 0`,
      [thing],
    );
  await run('insert into issues_assignee (issue_id, user_id) select id, $1::uuid from issues_issue where number = 7', [
    bob.id,
  ]);
  // The first issue of each repository has the comments, so that there are many others to be scanned.
  for (const sql of [
    `insert into issues_comment select gen_random_uuid(), i.id, $1, 'Comment ' || n, now(), now()
    from issues_issue i, generate_series(1, 100) n where i.number = 1`,
    `insert into issues_description_edit select gen_random_uuid(), i.id, 'before', 'after ' || n, $1, now()
    from issues_issue i, generate_series(1, 100) n where i.number = 1`,
    `insert into issues_watcher select i.id, $1::uuid from issues_issue i where number <= 100`,
    `insert into issues_link select gen_random_uuid(), i.id, o.id, 'blocks', now() from issues_issue i
    join issues_issue o on o.repository_id = i.repository_id and o.number = i.number + 1 where i.number % 2 = 1 and i.number <= 100`,
  ])
    await run(sql, sql.includes('$1') ? [author] : []);
  const tables = 'issues_issue, issues_issue_label, issues_assignee, issues_issue_component, issues_issue_version';
  await run(`analyze ${tables}, ${talk.join()}, repositories_repository, issues_type`);

  const sent = async (path: string): Promise<readonly Statement[]> =>
    recorded(async () => expect(await forge.anonymous.get(`${base}${path}`), 200));

  const planned = plans(run, large);

  await t.test('no plan of a list or search scans all issues', async (t) => {
    for (const query of [
      '',
      '?page=3',
      '?state=open',
      '?status=blocked',
      '?type=bug',
      '?priority=high',
      '?label=Bug',
      `?milestone_id=${milestone}`,
      '?has_parent=true',
      '?has_parent=false',
      '?author=alice',
      '?assignee=alice',
      '?sort=oldest',
      '?component=core',
      '?fix_version=1.0',
      '?affects_version=1.0',
      '?q=issue',
      '?q=7%20of',
      '?q=is',
      '?q=%25',
      '?q=zzzzzz',
      '?due_before=2026-02-01',
      '?due_after=2026-02-01',
      '?overdue=true',
      '?overdue=false',
      '?story_points_min=10',
      '?story_points_max=2',
      '?unestimated=true',
      '?unestimated=false',
      '?tokens_min=100',
      '?tokens_max=100',
      '?untokenized=true',
      '?output_tokens_min=100',
      '?output_tokens_max=100',
      '?no_output_tokens=true',
      '?state=open&label=Bug&q=issue&overdue=true',
      '/1',
      '/2',
      '/1/children',
      '/1/comments',
      '/1/comments?page=2',
      '/1/description-history',
      '/1/links',
      '/search?q=issue',
      '/search?q=issue&facets=true',
      '/search?q=7',
      '/search?q=zzzzzz&facets=true',
      '/search?q=isue%20of',
      '/search?q=i',
      '/search?q=the%20-issue',
    ]) {
      await planned(t, query, await sent(`/issues${query}`));
    }
    for (const path of ['', '/milestones']) await planned(t, path, await sent(path));
    const { token } = await forge.pat(bob.client, ['issue:read', 'repo:read']);
    const headers = { accept: 'text/html', authorization: `Bearer ${token}` };
    for (const path of [
      '/',
      ...['issues', 'issues/1', `milestones/${milestone}`].map((page) => `/alice/code-1/-/${page}`),
    ])
      await planned(
        t,
        path,
        await recorded(async () => t.equal((await fetch(new URL(path, forge.url), { headers })).status, 200, path)),
      );
  });

  await t.test('no plan of the MCP tools, the search indexer or the deletion of a user scans all issues', async (t) => {
    const [found] = await run("select id::text from repositories_repository where name = 'code-1'");
    const id = String(found?.['id']);
    const resource = await forge.forge.port('Repositories').byId(id);
    const list = forge.forge
      .port('ToolRegistry')
      .tools()
      .find(({ tool }) => tool.name === 'list_issues')?.tool;
    for (const input of [{}, { state: 'open' }, { labels: ['Bug'] }, { state: 'closed', labels: ['Bug'] }]) {
      const pieces = recorded(async () => {
        let next: unknown;
        for (let piece = 0; piece < 2; piece++) {
          const given = { limit: 5, ...input, ...(piece > 0 && { cursor: next }) };
          const { value } = list?.input?.validate(given) ?? {};
          const call = { caller: { kind: 'anonymous' } };
          const answer = await list?.run(call as never, { input: value, granted: { resource, call } } as never);
          next = (answer as { readonly next_cursor: unknown }).next_cursor;
          t.type(next, 'string', 'there is more');
        }
      });
      await planned(t, `list_issues ${JSON.stringify(input)}`, await pieces);
    }
    const named = (labels: readonly string[]) =>
      recorded(async () => {
        const call = { caller: { kind: 'anonymous' } };
        await list?.run(call as never, { input: { labels, limit: 5 }, granted: { resource, call } } as never);
      });
    t.equal(
      (await named(['Bug', 'bug', 'BUG'])).length,
      (await named(['Bug'])).length,
      'labels are found by one statement',
    );
    const [indexer] = forge.forge.port('IndexerRegistry').indexers();
    const indexed = recorded(async () => {
      let count = 0;
      for await (const _ of indexer?.indexer.documents(id) ?? []) if (++count > 150) break;
      t.equal(count, 151, 'more than one piece');
    });
    await planned(t, 'documents of the indexer', await indexed);
    const referred = recorded(async () => {
      for (const references of forge.forge.port('UserReferences')) await references.counts([nobody]);
    });
    await planned(t, 'what a user wrote', await referred);
  });

  await t.test('a list of one issue and one of a hundred take the same number of statements', async (t) => {
    for (const path of [
      '/issues?per_page=',
      '/issues?label=Bug&component=core&per_page=',
      `/issues?milestone_id=${milestone}&per_page=`,
      '/issues/1/children?per_page=',
      '/issues/1/comments?per_page=',
      '/issues/1/description-history?per_page=',
      '/issues/search?q=issue&facets=true&limit=',
    ]) {
      const [one, many] = [await sent(`${path}1`), await sent(`${path}100`)];
      t.equal(many.length, one.length, path);
      t.ok(many.length > 1, `${many.length} statements`);
    }
  });
});
