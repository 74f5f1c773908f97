// Tests of components, versions and types of issues: creating, updating, filtering, and deleting things that issues
// refer to.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';

interface Thing {
  readonly id: string;
  readonly name: string;
}
interface Issue {
  readonly number: number;
  readonly issue_type: Thing;
  readonly components: readonly Thing[];
  readonly fix_versions: readonly Thing[];
  readonly affects_versions: readonly Thing[];
}

const absent = '00000000-0000-4000-8000-0000000000ff';
const [task, bug] = ['00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000005'] as const;
const fields = ['component_ids', 'fix_version_ids', 'affects_version_ids'] as const;

// Creates types, which all repositories of a forge share, so this test does not use the shared forge.
void t.test('components, versions and types of issues', async (t) => {
  const forge = await startTestForge(t);
  const admin = await forge.administrator();
  const alice = (await forge.createUser('alice')).client;
  const [code, other] = ['/api/v1/repos/alice/code', '/api/v1/repos/alice/other'];
  for (const name of ['code', 'other']) await alice.post('/api/v1/repos', { body: { name, visibility: 'public' } });
  const made = async (path: string, body: object): Promise<Thing> => {
    const answer = await alice.post(path, { body });
    t.equal(answer.status, 201, answer.text);
    return answer.body as Thing;
  };
  const opened = async (body: object): Promise<Issue> =>
    (await made(`${code}/issues`, { title: 'It', issue_type_id: bug, ...body })) as unknown as Issue;
  const [web, core] = [
    await made(`${code}/components`, { name: 'web' }),
    await made(`${code}/components`, { name: 'Core' }),
  ];
  const one = await made(`${code}/versions`, { name: '1.0', released: true, release_date: '2026-01-31' });
  const two = await made(`${code}/versions`, { name: '2.0' });
  const foreign = {
    component_ids: await made(`${other}/components`, { name: 'web' }),
    fix_version_ids: await made(`${other}/versions`, { name: '1.0' }),
    affects_version_ids: await made(`${other}/versions`, { name: '2.0' }),
  };
  const about = ({ components, fix_versions, affects_versions }: Issue) => ({
    components,
    fix_versions,
    affects_versions,
  });
  const numbers = async (query: string): Promise<readonly number[]> => {
    const answer = await alice.get(`${code}/issues?${query}`);
    t.equal(answer.status, 200, answer.text);
    const { items, total } = answer.body as { items: Issue[]; total: number };
    t.equal(total, items.length, query);
    return items.map(({ number }) => number);
  };

  await t.test(
    'create accepts ids and ignores repeated ones; the issue has the objects of these ids, ordered by name',
    async (t) => {
      const issue = await opened({
        component_ids: [web.id, core.id, web.id.toUpperCase()],
        fix_version_ids: [two.id],
        affects_version_ids: [two.id, one.id],
      });
      const expected = { components: [core, web], fix_versions: [two], affects_versions: [one, two] };
      t.same(about(issue), expected);
      t.same(about((await forge.anonymous.get(`${code}/issues/${issue.number}`)).body as Issue), expected);
      const { items } = (await alice.get(`${code}/issues`)).body as { items: Issue[] };
      t.same(items.map(about), [expected], 'in lists too');
      t.same(about(await opened({})), { components: [], fix_versions: [], affects_versions: [] });
    },
  );

  await t.test('update replaces the given sets, also by an empty one, and keeps the others', async (t) => {
    const { number } = await opened({ component_ids: [web.id], fix_version_ids: [one.id] });
    const patch = async (body: object) => {
      const answer = await alice.patch(`${code}/issues/${number}`, { body });
      t.equal(answer.status, 200, answer.text);
      return about(answer.body as Issue);
    };
    t.same(await patch({ affects_version_ids: [one.id] }), {
      components: [web],
      fix_versions: [one],
      affects_versions: [one],
    });
    t.same(await patch({ component_ids: [core.id] }), {
      components: [core],
      fix_versions: [one],
      affects_versions: [one],
    });
    t.same(await patch({ fix_version_ids: [] }), { components: [core], fix_versions: [], affects_versions: [one] });
    t.same(await patch({}), { components: [core], fix_versions: [], affects_versions: [one] });
    t.equal((await alice.delete(`${code}/issues/${number}`)).status, 204);
  });

  await t.test('400 for an id that is malformed, unknown, of another repository, or of the other kind', async (t) => {
    const before = await numbers('');
    const { number } = await opened({ component_ids: [web.id] });
    const known = { component_ids: web.id, fix_version_ids: one.id, affects_version_ids: one.id };
    for (const field of fields) {
      const wrongKind = field === 'component_ids' ? one.id : web.id;
      const values = [
        null,
        web.id,
        ['web'],
        [null],
        [absent],
        [known[field], absent],
        [foreign[field].id],
        [wrongKind],
      ];
      for (const value of [...values, Array.from({ length: 101 }, () => known[field])]) {
        const what = `${field}: ${JSON.stringify(value).slice(0, 100)}`;
        for (const answer of [
          await alice.post(`${code}/issues`, { body: { title: 'It', issue_type_id: bug, [field]: value } }),
          await alice.patch(`${code}/issues/${number}`, { body: { title: 'Other', [field]: value } }),
        ]) {
          isError(t, answer, 400, 'validation_failed', what);
          t.match((answer.body as { detail: string }).detail, `"${field}`, what);
        }
      }
    }
    const issue = (await alice.get(`${code}/issues/${number}`)).body as Issue;
    t.match(issue, { title: 'It', components: [web], fix_versions: [] }, 'nothing was changed');
    t.same(await numbers(''), [number, ...before], 'nothing was created');
    t.equal((await opened({})).number, number + 1, 'no number was used');
  });

  await t.test('the list is filtered by their names ignoring case', async (t) => {
    const [a, b] = [
      await opened({ component_ids: [core.id], fix_version_ids: [two.id] }),
      await opened({ component_ids: [core.id, web.id], affects_version_ids: [two.id] }),
    ];
    t.same((await numbers('component=CORE&fix_version=2.0')).slice(0, 1), [a.number]);
    t.same((await numbers('component=core')).slice(0, 2), [b.number, a.number]);
    t.same((await numbers('component=web&affects_version=2.0')).slice(0, 1), [b.number]);
    t.notOk((await numbers('component=web')).includes(a.number));
    t.notOk((await numbers('fix_version=2.0')).includes(b.number));
    t.notOk((await numbers('affects_version=2.0')).includes(a.number));
    const every = (await numbers('')).length;
    t.equal((await numbers('component=')).length, every, 'an empty parameter is ignored');
    for (const query of ['component=2.0', 'fix_version=web', 'affects_version=3', 'component=co%25'])
      t.same(await numbers(query), [], query);
  });

  await t.test('deleting or renaming a component or version shows on its issues', async (t) => {
    const [gone, kept] = [
      await made(`${code}/components`, { name: 'gone' }),
      await made(`${code}/versions`, { name: '3' }),
    ];
    const { number } = await opened({ component_ids: [gone.id, web.id], fix_version_ids: [kept.id] });
    t.equal((await alice.delete(`${code}/components/${gone.id}`)).status, 204);
    t.equal((await alice.patch(`${code}/versions/${kept.id}`, { body: { name: '3.0' } })).status, 200);
    const issue = (await alice.get(`${code}/issues/${number}`)).body as Issue;
    t.same(about(issue), { components: [web], fix_versions: [{ ...kept, name: '3.0' }], affects_versions: [] });
  });

  await t.test('of 20 concurrent replacements of the components of one issue, one is stored completely', async (t) => {
    const { number } = await opened({});
    const sets = [[], [web.id], [core.id], [core.id, web.id]];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        alice.patch(`${code}/issues/${number}`, { body: { component_ids: sets[index % sets.length] } }),
      ),
    );
    t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
    const left = ((await alice.get(`${code}/issues/${number}`)).body as Issue).components.map(({ id }) => id);
    t.ok(
      sets.some((set) => JSON.stringify(set) === JSON.stringify(left)),
      JSON.stringify(left),
    );
  });

  await t.test(
    'a type outside the scheme is 400 for a new issue and for a change; issues that have it keep it',
    async (t) => {
      const { number } = await opened({ issue_type_id: bug });
      t.equal((await alice.put(`${code}/issue-type-scheme`, { body: { type_ids: [task] } })).status, 200);
      const refused = [
        await alice.post(`${code}/issues`, { body: { title: 'It', issue_type_id: bug } }),
        await alice.patch(`${code}/issues/${(await opened({ issue_type_id: task })).number}`, {
          body: { issue_type_id: bug },
        }),
      ];
      for (const answer of refused) {
        isError(t, answer, 400, 'validation_failed', 'outside the scheme');
        t.match((answer.body as { detail: string }).detail, /"issue_type_id".*task/);
      }
      const kept = await alice.patch(`${code}/issues/${number}`, { body: { title: 'Still', issue_type_id: bug } });
      t.equal(kept.status, 200, kept.text);
      t.equal((kept.body as Issue).issue_type.name, 'bug');
      t.equal((await alice.patch(`${code}/issues/${number}`, { body: { issue_type_id: task } })).status, 200);
      t.equal((await alice.put(`${code}/issue-type-scheme`, { body: { type_ids: [] } })).status, 200);
      t.equal((await alice.patch(`${code}/issues/${number}`, { body: { issue_type_id: bug } })).status, 200);
    },
  );

  await t.test('a type cannot be deleted while an issue has it: 409; issues show its display name', async (t) => {
    const types = '/api/v1/admin/issue-types';
    const chore = await admin.post(types, { body: { name: 'chore', display_name: 'Chore', color: '0a1b2c' } });
    const { id } = chore.body as Thing;
    const { number } = await opened({ issue_type_id: id });
    isError(t, await admin.delete(`${types}/${id}`), 409, 'conflict', 'an issue has it');
    t.equal((await admin.patch(`${types}/${id}`, { body: { display_name: 'Housekeeping' } })).status, 200);
    t.match((await alice.get(`${code}/issues/${number}`)).body, {
      issue_type: { id, name: 'chore', display_name: 'Housekeeping' },
    });
    t.equal((await alice.patch(`${code}/issues/${number}`, { body: { issue_type_id: bug } })).status, 200);
    t.equal((await admin.delete(`${types}/${id}`)).status, 204);
    isError(
      t,
      await alice.post(`${code}/issues`, { body: { title: 'It', issue_type_id: id } }),
      400,
      'validation_failed',
      'it was deleted',
    );
  });

  await t.test('a repository with components and versions is deleted with them', async (t) => {
    const gone = await alice.delete(code, { body: { confirmation: 'alice/code' } });
    t.equal(gone.status, 204, gone.text);
    t.equal((await alice.get(`${code}/issues`)).status, 404);
  });
});
