// What lists and searches cost the database: plans without a sequential scan over issues, whatever is asked for, and as
// many statements for one row as for a hundred. HEXFORGE_TEST_ISSUES is how many issues there are, 10,000 by default.
import { definePlugin, type SqlDatabase } from 'hexforge/plugin';
import { CompiledQuery } from 'kysely';
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { statementRecorder, type Statement } from '#test/support/statements';
import { expect, repos } from './tracker.ts';

const repositories = 50;
const count = Number(process.env['HEXFORGE_TEST_ISSUES'] ?? 10_000);

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The database of the forge that runs, from inside it. */
function door() {
  let database: SqlDatabase | undefined;
  return {
    definition: definePlugin({
      name: 'door',
      version: '1.0.0',
      api: '*',
      stores: {
        rows: { sql: (db: SqlDatabase): { db?: SqlDatabase } => ({ db }), memory: (): { db?: SqlDatabase } => ({}) },
      },
      build: ({ stores }) => void (database = stores.rows.db),
    }),
    async run(sql: string, parameters: readonly unknown[] = []) {
      if (database === undefined) throw new Error('there is no database');
      return (await database.kysely().executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql, [...parameters])))
        .rows;
    },
  };
}

const scans = (node: PlanNode): readonly string[] => [
  ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : []),
  ...(node.Plans ?? []).flatMap(scans),
];

void t.test('lists and searches of issues', { timeout: 600_000 }, async (t) => {
  const recorded = statementRecorder();
  const { definition, run } = door();
  const forge = await startTestForge(t, { definitions: [definition] });
  const { client, id: author } = await forge.createUser('alice');
  expect(await client.post(repos, { body: { name: 'code-1', visibility: 'public' } }), 201);
  const base = `${repos}/alice/code-1`;
  const made = async (what: string, body: object) =>
    (expect(await client.post(`${base}/${what}`, { body }), 201).body as { readonly id: string }).id;
  const [label, milestone] = [
    await made('labels', { name: 'Bug', color: 'ff0000' }),
    await made('milestones', { title: 'First' }),
  ];
  const [component, version] = [await made('components', { name: 'core' }), await made('versions', { name: '1.0' })];
  // Of other repositories there are rows alone, without folders.
  await run(`insert into repositories_repository
    select (jsonb_populate_record(r, jsonb_build_object(
      'id', gen_random_uuid(), 'name', 'code-' || n, 'name_key', 'code-' || n))).*
    from repositories_repository r, generate_series(2, ${repositories}) n`);
  // In pieces, for a statement has its time.
  const [each, piece] = [count / repositories, 100];
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
  const tables = 'issues_issue, issues_issue_label, issues_assignee, issues_issue_component, issues_issue_version';
  await run(`analyze ${tables}, repositories_repository, issues_type`);

  const sent = async (path: string): Promise<readonly Statement[]> =>
    recorded(async () => expect(await forge.anonymous.get(`${base}${path}`), 200));

  await t.test('no plan scans all issues', async (t) => {
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
      '/1/children',
      '/search?q=issue',
      '/search?q=issue&facets=true',
      '/search?q=7',
      '/search?q=zzzzzz&facets=true',
      '/search?q=isue%20of',
      '/search?q=i',
      '/search?q=the%20-issue',
    ]) {
      const own = (await sent(`/issues${query}`)).filter(({ sql }) => sql.includes('issues_issue'));
      t.not(own.length, 0, `${query} asks the database`);
      for (const { sql, parameters } of own) {
        const [row] = await run(`explain (format json) ${sql}`, parameters);
        const plan = row?.['QUERY PLAN'];
        const [{ Plan }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ readonly Plan: PlanNode }];
        const scanned = scans(Plan);
        t.notOk(scanned.includes('issues_issue'), `${query}: ${sql.slice(0, 60)}`, { sql, Plan });
      }
    }
  });

  await t.test('a row and a hundred take as many statements', async (t) => {
    for (const path of ['/issues?', '/issues?label=Bug&component=core&', '/issues/search?q=issue&facets=true&'])
      for (const size of path.includes('search') ? ['limit'] : ['per_page']) {
        const [one, many] = [await sent(`${path}${size}=1`), await sent(`${path}${size}=100`)];
        t.equal(many.length, one.length, path);
        t.ok(many.length > 1, `${many.length} statements`);
      }
  });
});
