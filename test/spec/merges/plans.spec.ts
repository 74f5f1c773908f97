// Tests of the database and git costs of merge requests: no sequential scan over growing tables, and the same number
// of statements and processes for one row, file or comment as for a hundred. HEXFORGE_TEST_REQUESTS is the number of
// requests, 10,000 by default.
import t from 'tap';
import { databaseDoor } from '#test/support/servers/database-door';
import { startTestForge } from '#test/support/forge';
import { processRecorder } from '#test/support/servers/git-processes';
import { onDatabase } from '#test/support/marks';
import { planned as plans } from '#test/support/plans';
import { statementRecorder, type Statement } from '#test/support/statements';
import { proposal, written, type Files } from './proposal.ts';
import { expect, nobody } from './workshop.ts';

const repositories = 50;
const count = Number(process.env['HEXFORGE_TEST_REQUESTS'] ?? 10_000);
const large = ['merges_open', 'merges_request', 'merges_label', 'merges_assignee', 'merges_review', 'merges_comment'];

/** A hundred files that contain `what`. */
const hundred = (what: string): Files =>
  Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`file-${index + 1}`, `${what} ${index}\n`]));

/** The reads of requests, without those of background jobs. Sorted, because some run concurrently. */
const texts = (statements: readonly Statement[]): readonly string[] =>
  statements
    .map(({ sql }) => sql)
    .filter((sql) => sql.startsWith('select') && /merges_|repositories_|planning_/.test(sql))
    .toSorted();

void onDatabase(t).test('lists and fetches of merge requests', { timeout: 600_000 }, async (t) => {
  const recorded = statementRecorder();
  const processes = processRecorder();
  const { definition, run } = databaseDoor();
  const forge = await startTestForge(t, { definitions: [definition] });
  const planned = plans(run, large);
  const alice = await forge.createUser('alice');
  const many = await proposal(t, forge, alice, 'many', { 'README.md': 'read\n' }, written(hundred('before')));
  const few = await proposal(t, forge, alice, 'few', { 'README.md': 'read\n' }, written({ 'file-1': 'before\n' }));
  const base = '/api/v1/repos/alice/many';
  const made = async (what: string, body: object): Promise<string> =>
    (expect(await alice.client.post(`${base}/${what}`, { body }), 201).body as { readonly id: string }).id;
  const milestone = await made('milestones', { title: 'First' });
  const label = await made('labels', { name: 'Bug', color: 'ff0000' });
  // The `merges_` rows are complete only after the event handlers have run.
  await forge.forge.drained();

  // The other repositories are only rows, without git directories.
  await run(`insert into repositories_repository
    select (jsonb_populate_record(r, jsonb_build_object(
      'id', gen_random_uuid(), 'name', 'many-' || n, 'name_key', 'many-' || n))).*
    from repositories_repository r, generate_series(2, ${repositories - 1}) n where r.name = 'many'`);
  const [each, piece] = [count / repositories, 25];
  for (let from = 2; from <= each; from += piece)
    await run(
      `insert into merges_request (id, repository_id, number, title, description, state, is_draft, source_repository_id,
      source_branch, target_branch, author_id, milestone_id, head_oid, base_oid, created_at, updated_at)
    select gen_random_uuid(), r.id, n, 'Request ' || n, md5(r.name || n), case n % 3 when 0 then 'closed' else 'open' end,
      n % 7 = 0, r.id, 'topic-' || n, 'main', $1, case n % 10 when 0 then $2::uuid end, m.head_oid, m.head_oid, now(), now()
    from generate_series($3::int, $4::int) n cross join repositories_repository r
    cross join (select head_oid from merges_request limit 1) m`,
      [alice.id, milestone, from, Math.min(from + piece - 1, each)],
    );
  const [first, last] = ['m.number <= 3', 'm.number <= 100'];
  for (const [sql, given] of [
    [`insert into merges_label select m.id, $1::uuid from merges_request m where ${last}`, label],
    [`insert into merges_assignee select m.id, $1::uuid from merges_request m where ${last}`, alice.id],
    [
      `insert into merges_review (id, request_id, user_id, state, body)
      select gen_random_uuid(), m.id, $1::uuid, 'approved', '' from merges_request m where ${last}`,
      alice.id,
    ],
    [
      `insert into merges_comment (id, request_id, author_id, commit_oid, file_path, line_number, body, resolved,
        created_at, updated_at)
      select gen_random_uuid(), m.id, $1::uuid, m.head_oid, 'file-' || n, 1, 'Comment', false, now(), now()
      from merges_request m, generate_series(1, 100) n where ${first}`,
      alice.id,
    ],
  ] as const)
    await run(sql, [given]);
  await run(`analyze ${large.join()}, repositories_repository`);

  const sent = async (path: string): Promise<readonly Statement[]> =>
    recorded(async () => expect(await forge.anonymous.get(path), 200));

  await t.test('no plan of a list or fetch scans all requests', async (t) => {
    for (const query of [
      '',
      '?page=3',
      '?state=all',
      '?state=closed',
      '?state=merged',
      '/1',
      '/1/files',
      '/1/comments',
      '/1/comments?page=2',
      '/1/mergeability',
    ])
      await planned(t, query, await sent(`${base}/merges${query}`));
  });

  await t.test(
    'no plan of the indexer, or of deleting a user, a label or a milestone, scans all requests',
    async (t) => {
      const [found] = await run("select id::text from repositories_repository where name = 'many'");
      const mrs = forge.forge
        .port('IndexerRegistry')
        .indexers()
        .find(({ indexer }) => indexer.name === 'mrs');
      const indexed = recorded(async () => {
        let documents = 0;
        for await (const _ of mrs?.indexer.documents(String(found?.['id'])) ?? []) if (++documents > 150) break;
        t.equal(documents, 151, 'more than one piece');
      });
      await planned(t, 'documents of the indexer', await indexed);
      const referred = recorded(async () => {
        for (const references of forge.forge.port('UserReferences')) await references.counts([nobody]);
      });
      await planned(t, 'the parts a user has', await referred);
    },
  );

  await t.test(
    'a list of one request and one of a hundred take the same number of statements, and start no git process',
    async (t) => {
      for (const path of ['?state=all&per_page=', '?state=open&per_page=']) {
        const [one, all] = [await sent(`${base}/merges${path}1`), await sent(`${base}/merges${path}100`)];
        t.strictSame(texts(all), texts(one), path);
        t.ok(texts(all).length > 1, `${all.length} statements`);
        t.strictSame(
          await processes(() => forge.anonymous.get(`${base}/merges${path}100`)),
          [],
          'no git process starts',
        );
      }
    },
  );

  await t.test(
    'a diff of one file and one of a hundred take the same number of statements and git processes',
    async (t) => {
      const cost = async (path: string, algorithm: string) => {
        let statements: readonly Statement[] = [];
        const started = await processes(async () => (statements = await sent(`${path}${algorithm}`)));
        return { processes: started.toSorted(), statements: texts(statements) };
      };
      for (const route of ['', '/files', '/commits'])
        for (const algorithm of ['?algorithm=histogram', '?algorithm=myers']) {
          const [one, all] = [
            await cost(`${few.path}${route}`, algorithm),
            await cost(`${many.path}${route}`, algorithm),
          ];
          t.strictSame(all, one, `${route}${algorithm}`);
          t.ok(all.processes.length <= 3, all.processes.join());
        }
    },
  );

  await t.test(
    'a list of one comment and one of a hundred, on files that have changed since, take the same number of statements',
    async (t) => {
      await many.work.commit('Again', hundred('after'));
      await many.push('topic');
      await forge.forge.drained();
      const cost = async (query: string) => {
        let statements: readonly Statement[] = [];
        const started = await processes(async () => (statements = await sent(`${many.path}/comments${query}`)));
        return { processes: started.length, statements: texts(statements) };
      };
      const one = await cost('?per_page=1');
      const all = await cost('?per_page=100');
      t.strictSame(all.statements, one.statements);
      t.ok(all.processes <= one.processes, `${all.processes} processes for a hundred, ${one.processes} for one`);
    },
  );

  await t.test(
    'requesting, requesting again and removing one reviewer or a hundred takes the same number of statements',
    async (t) => {
      const people = await run(
        `insert into identity_user select (jsonb_populate_record(u, jsonb_build_object('id', gen_random_uuid(),
        'username', 'reader-' || n, 'username_key', 'reader-' || n,
        'email', n || '@example.com', 'email_key', n || '@example.com'))).*
      from identity_user u, generate_series(1, 201) n where u.username = 'alice' returning id::text`,
      );
      const ids = people.map(({ id }) => String(id));
      /** The writes to reviews when these become the reviewers. */
      const asked = async (reviewers: readonly string[]): Promise<readonly string[]> => {
        const statements = await recorded(async () =>
          expect(await alice.client.patch(few.path, { body: { reviewer_ids: reviewers } }), 200),
        );
        return statements.flatMap(({ sql }) => /^(insert|update|delete)\b.*\bmerges_review\b/s.exec(sql)?.[1] ?? []);
      };
      const answered = () => run("update merges_review set state = 'approved' where state = 'pending'");
      for (const reviewers of [ids.slice(0, 1), ids.slice(1, 101)]) {
        const others = ids.slice(101, 101 + reviewers.length);
        t.strictSame(await asked(reviewers), ['insert'], `${reviewers.length} asked`);
        t.strictSame(await asked(others), ['delete', 'insert'], 'replaced by others');
        await answered();
        t.strictSame(await asked(others), ['update'], 'requested again after they submitted');
        t.strictSame(await asked([]), ['delete'], 'all of them removed');
      }
    },
  );

  await t.test('a push reads only the requests of its branch', async (t) => {
    const pushed = recorded(async () => {
      await few.work.commit('Again', { 'file-1': 'again\n' });
      await few.push('topic');
      await forge.forge.drained();
    });
    const reads = (await pushed).filter(({ sql }) => /^select/i.test(sql) && sql.includes('merges_request'));
    await planned(t, 'a push', reads);
  });
});
