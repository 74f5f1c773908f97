// Tests of issues with several server processes on one database: two with PostgreSQL, one with the embedded database.
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Answer } from '#test/support/clients/client';
import { databaseDoor } from '#test/support/servers/database-door';
import { startTestForge } from '#test/support/forge';
import { sharedServers } from '#test/support/servers/shared-servers';

const repos = '/api/v1/repos';
const task = '00000000-0000-4000-8000-000000000003';
const patient = { timeout: 240_000 };

/** Triggers that raise "out of memory" when a row is written or its transaction is committed. */
const faults = [
  `create function refused() returns trigger language plpgsql as $$
    begin raise exception 'refused by the test' using errcode = '53200'; end $$`,
  `create trigger refused_written after insert on issues_issue
    for each row when (new.title = 'refused when written') execute function refused()`,
  `create constraint trigger refused_committed after insert on issues_issue deferrable initially deferred
    for each row when (new.title = 'refused when committed') execute function refused()`,
];

/** Counts rows that refer to deleted ones and have no foreign key. */
const orphans = `select
  (select count(*) from issues_issue_label l where not exists (select from planning_label p where p.id = l.label_id))
  + (select count(*) from issues_issue i where milestone_id is not null
      and not exists (select from planning_milestone m where m.id = i.milestone_id)) as count`;

const statuses = (answers: readonly Answer[]): readonly number[] => answers.map(({ status }) => status);

void t.test('issues through all servers of one database', patient, async (t) => {
  const door = databaseDoor();
  const seed = await startTestForge(t, { definitions: [door.definition] });
  const [{ id: aliceId }, { id: bobId }] = [await seed.createUser('alice'), await seed.createUser('bob')];
  const sign = async (name: string) => (await seed.signIn(name, `password of ${name}`)).token;
  const [aliceToken, bobToken] = [await sign('alice'), await sign('bob')];
  const { token: adminToken } = await seed.signIn(seed.admin.username, seed.admin.password);
  for (const fault of faults) await door.run(fault);
  await seed.stop();
  const { as, stop, servers } = await sharedServers(t, seed);
  const [alice, bob, admin] = [as(aliceToken), as(bobToken), as(adminToken)];

  const made = async (
    path: string,
    body: object,
    turn = 0,
  ): Promise<{ readonly id: string; readonly number: number }> => {
    const answer = await alice(turn).post(path, { body });
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body as { readonly id: string; readonly number: number };
  };
  const repository = async (name: string): Promise<string> => {
    await made(repos, { name, visibility: 'public' });
    return `${repos}/alice/${name}`;
  };
  const open = (at: string, body: object = {}, turn = 0) =>
    made(`${at}/issues`, { title: 'An issue', issue_type_id: task, ...body }, turn);
  /** Sends requests concurrently, each through the next server. */
  const atOnce = (count: number, ask: (turn: number) => Promise<Answer>): Promise<readonly Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, turn) => ask(turn)));
  const only = (t: Test, answers: readonly Answer[], allowed: readonly number[], what: string): void =>
    void t.strictSame(
      answers.filter(({ status }) => !allowed.includes(status)).map(({ status, text }) => [status, text]),
      [],
      what,
    );

  await t.test('of 75 issues 25 fail after they got a number: the others have 1 to 50', patient, async (t) => {
    const at = await repository('numbers');
    const title = (turn: number) =>
      turn % 3 === 0 ? `refused when ${turn % 2 === 0 ? 'written' : 'committed'}` : `Issue ${turn}`;
    const answers = await atOnce(75, (turn) =>
      alice(turn).post(`${at}/issues`, { body: { title: title(turn), issue_type_id: task } }),
    );
    t.strictSame(
      statuses(answers),
      answers.map((_, turn) => (turn % 3 === 0 ? 503 : 201)),
    );
    const { items } = (await alice(1).get(`${at}/issues?per_page=100`)).body as {
      readonly items: readonly { readonly number: number }[];
    };
    t.strictSame(
      items.map(({ number }) => number),
      Array.from({ length: 50 }, (_, index) => 50 - index),
    );
    for (const turn of [0, 1]) {
      t.equal((await alice(turn).delete(`${at}/issues/${50 + turn}`)).status, 204);
      t.equal((await open(at, {}, turn + 1)).number, 51 + turn, 'the number of a deleted issue is not reused');
    }
  });

  await t.test('20 concurrent replacements of labels and assignees end in one of the sent sets', patient, async (t) => {
    const at = await repository('sets');
    const { number } = await open(at);
    const labels: string[] = [];
    for (let index = 0; index < 6; index++)
      labels.push((await made(`${at}/labels`, { name: `l${index}`, color: '00ff00' })).id);
    const sent = Array.from({ length: 20 }, (_, index) => ({
      label_ids: labels.filter((_label, bit) => ((index + 1) >> bit) % 2 === 1),
      assignee_ids: [aliceId, bobId].filter((_id, bit) => (index >> bit) % 2 === 1),
    }));
    const answers = await atOnce(20, (turn) => alice(turn).patch(`${at}/issues/${number}`, { body: sent[turn] }));
    only(t, answers, [200], 'all are done');
    const ids = (things: unknown) => (things as readonly { readonly id: string }[]).map(({ id }) => id).sort();
    const left = (await alice(1).get(`${at}/issues/${number}`)).body as Record<string, unknown>;
    const found = JSON.stringify([ids(left['labels']), ids(left['assignees'])]);
    t.ok(
      sent.some((body) => JSON.stringify([body.label_ids.toSorted(), body.assignee_ids.toSorted()]) === found),
      found,
    );
  });

  await t.test(
    'concurrent watching, closing and commenting: every request succeeds, and every comment is counted',
    patient,
    async (t) => {
      const at = `${await repository('talk')}/issues/1`;
      await open(`${repos}/alice/talk`);
      const answers = await atOnce(60, (turn) => {
        const one = [alice, bob][turn % 2]?.(turn >> 1) ?? alice(0);
        switch (turn % 6) {
          case 0:
          case 1:
            return one.put(`${at}/subscription`);
          case 2:
          case 3:
            return one.delete(`${at}/subscription`);
          case 4:
            return alice(turn >> 2).post(`${at}/${turn % 4 === 0 ? 'close' : 'reopen'}`);
          default:
            return one.post(`${at}/comments`, { body: { body: `${turn}` } });
        }
      });
      only(t, answers, [200, 201, 204], 'all are done');
      t.match((await alice(1).get(at)).body, { comments_count: 10 });
      for (const [ask, status] of [
        [() => bob(0).put(`${at}/subscription`), 'watched'],
        [() => alice(1).post(`${at}/close`), 'closed'],
      ] as const)
        t.equal((await ask()).status, 204, status);
      t.match((await bob(1).get(at)).body, { state: 'closed' });
    },
  );

  await t.test(
    'of two moves, or two links, that would form a cycle together exactly one succeeds',
    patient,
    async (t) => {
      const at = await repository('circles');
      for (let round = 0; round < 5; round++) {
        const [one, two] = [(await open(at)).number, (await open(at)).number];
        const parents = await Promise.all([
          alice(0).put(`${at}/issues/${one}/parent`, { body: { parent_number: two } }),
          alice(1).put(`${at}/issues/${two}/parent`, { body: { parent_number: one } }),
        ]);
        t.strictSame(statuses(parents).toSorted(), [204, 422]);
        const links = await Promise.all(
          [[one, two] as const, [two, one] as const].map(([number, target_number], turn) =>
            alice(turn).post(`${at}/issues/${number}/links`, { body: { type: 'blocks', target_number } }),
          ),
        );
        t.strictSame(statuses(links).toSorted(), [201, 422]);
      }
    },
  );

  await t.test('labels and milestones deleted while they are assigned: no issue keeps one', patient, async (t) => {
    const at = await repository('dropped');
    const { number } = await open(at);
    for (let round = 0; round < 5; round++) {
      const label = (await made(`${at}/labels`, { name: `l${round}`, color: '00ff00' })).id;
      const milestone = (await made(`${at}/milestones`, { title: `m${round}` })).id;
      const wish = { label_ids: [label], milestone_id: milestone };
      const answers = await Promise.all([
        ...Array.from({ length: 4 }, (_, turn) => alice(turn).patch(`${at}/issues/${number}`, { body: wish })),
        ...Array.from({ length: 4 }, (_, turn) =>
          alice(turn).post(`${at}/issues`, { body: { title: 'Another', issue_type_id: task, ...wish } }),
        ),
        alice(round).delete(`${at}/labels/${label}`),
        alice(round + 1).delete(`${at}/milestones/${milestone}`),
      ]);
      only(t, answers.slice(0, 8), [200, 201, 400], 'the label or milestone is set, or refused as unknown');
      only(t, answers.slice(8), [204], 'deleted');
    }
  });

  await t.test(
    'a repository deleted during changes of issues: each request succeeds or is rejected',
    patient,
    async (t) => {
      for (let round = 0; round < 3; round++) {
        const name = `gone-${round}`;
        const at = await repository(name);
        const label = (await made(`${at}/labels`, { name: 'Bug', color: '00ff00' })).id;
        const milestone_id = (await made(`${at}/milestones`, { title: 'First' })).id;
        const { number } = await open(at);
        const wish = { label_ids: [label], milestone_id };
        const answers = await Promise.all([
          ...Array.from({ length: 24 }, (_, turn) => {
            switch (turn % 4) {
              case 0:
                return alice(turn >> 2).post(`${at}/issues`, { body: { title: 'New', issue_type_id: task, ...wish } });
              case 1:
                return alice(turn >> 2).patch(`${at}/issues/${number}`, { body: { ...wish, title: `${turn}` } });
              case 2:
                return bob(turn >> 2).post(`${at}/issues/${number}/comments`, { body: { body: 'Hm' } });
              default:
                return alice(turn >> 2).post(`${at}/labels`, { body: { name: `l${turn}`, color: '00ff00' } });
            }
          }),
          alice(round).delete(at, { body: { confirmation: `alice/${name}` } }),
        ]);
        only(t, answers.slice(0, -1), [200, 201, 404], 'changes');
        only(t, answers.slice(-1), [204], 'the deletion');
        t.equal((await alice(1).get(at)).status, 404);
      }
    },
  );

  await t.test(
    'a user deleted while they create issues and comments: deleted before the first one, or not at all',
    patient,
    async (t) => {
      const at = await repository('authors');
      await open(at);
      for (let round = 0; round < 4; round++) {
        const user = await admin(round).post('/api/v1/admin/users', {
          body: { username: `user-${round}`, email: `user-${round}@example.com`, password: 'a long enough password' },
        });
        const { id } = user.body as { readonly id: string };
        const session = await admin(round).post('/api/v1/auth/login', {
          body: { username: `user-${round}`, password: 'a long enough password' },
        });
        const theirs = as((session.body as { readonly access_token: string }).access_token);
        const answers = await Promise.all([
          ...Array.from({ length: 8 }, (_, turn) =>
            turn % 2 === 0
              ? theirs(turn >> 1).post(`${at}/issues`, { body: { title: 'New', issue_type_id: task } })
              : theirs(turn >> 1).post(`${at}/issues/1/comments`, { body: { body: 'Hm' } }),
          ),
          admin(round).delete(`/api/v1/admin/users/${id}`),
        ]);
        only(t, answers.slice(0, -1), [201, 401], 'words');
        const [deletion] = answers.slice(-1);
        const said = answers.some(({ status }) => status === 201);
        t.equal(deletion?.status, said ? 409 : 204);
        if (said) t.match(deletion?.body, { error: /\S/, reason: /\S/ });
      }
    },
  );

  await stop();
  for (const { log } of servers) t.notMatch(log, /"status":500|unhandled/);
  const after = databaseDoor();
  const last = await startTestForge(t, { after: seed, definitions: [after.definition] });
  // Waits for the event handlers that remove such rows. Only the time limit of the test bounds this wait.
  while (Number((await after.run(orphans))[0]?.['count']) > 0) await pause(50);
  t.strictSame(
    (
      await after.run(
        'select (select last from issues_number n join repositories_repository r on r.id = n.repository_id where r.name = $1) as last',
        ['numbers'],
      )
    ).map(({ last: number }) => number),
    [52],
  );
  t.strictSame(
    (await after.run('select deadlocks::int from pg_stat_database where datname = current_database()')).map(
      ({ deadlocks }) => deadlocks,
    ),
    [0],
    'no deadlock occurred',
  );
  await last.stop();
});
