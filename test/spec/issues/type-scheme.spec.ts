// Tests of type schemes: the ordered set of issue types that a repository uses.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';

interface Item {
  readonly issue_type: { readonly id: string; readonly name: string };
  readonly position: number;
}

const absent = '00000000-0000-4000-8000-0000000000ff';
const [epic, task, bug] = [1, 3, 5].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [
  string,
  string,
  string,
];

// Creates types, which all repositories of a forge share, so this test does not use the shared forge.
void t.test('type schemes', async (t) => {
  const forge = await startTestForge(t);
  const admin = await forge.administrator();
  const owner = (await forge.createUser('owner')).client;
  const [code, other] = ['/api/v1/repos/owner/code', '/api/v1/repos/owner/other'] as const;
  await owner.post('/api/v1/repos', { body: { name: 'code', visibility: 'public' } });
  await owner.post('/api/v1/repos', { body: { name: 'other' } });
  const of = (repository: string = code) => `${repository}/issue-type-scheme`;
  const put = (type_ids: unknown, path = of()) => owner.put(path, { body: { type_ids } });
  const ids = (body: unknown): readonly string[] => (body as Item[]).map(({ issue_type: { id } }) => id);

  await t.test(
    'a scheme is empty at first, which allows every type; PUT answers 200 with all entries in order',
    async (t) => {
      const first = await owner.get(of());
      t.same([first.status, first.body], [200, []]);
      const catalogue = (await owner.get('/api/v1/issue-types')).body as { readonly id: string }[];
      const whole = (...type_ids: readonly string[]) =>
        type_ids.map((id, position) => ({ issue_type: catalogue.find((type) => type.id === id), position }));
      const answer = await put([bug, epic.toUpperCase(), task]);
      t.same([answer.status, answer.body], [200, whole(bug, epic, task)]);
      t.same((await forge.anonymous.get(of())).body, answer.body);
      t.same((await put([task, bug])).body, whole(task, bug), 'an omitted type is removed');
      t.same((await owner.get(of(other))).body, [], 'of another repository');
      const cleared = await put([]);
      t.same([cleared.status, cleared.body], [200, []]);
    },
  );

  await t.test(
    'PUT: 400 for a malformed body, an entry that is not a uuid, an unknown type or a duplicate',
    async (t) => {
      t.equal((await put([bug])).status, 200);
      const cases = [
        undefined,
        null,
        bug,
        [7],
        ['bug'],
        [null],
        [absent],
        [bug, absent],
        [bug, bug],
        [bug, bug.toUpperCase()],
      ];
      for (const type_ids of [...cases, Array.from({ length: 201 }, () => bug)]) {
        const answer = await put(type_ids);
        isError(t, answer, 400, 'validation_failed', JSON.stringify(type_ids)?.slice(0, 100));
        t.match((answer.body as { detail: string }).detail, '"type_ids', JSON.stringify(type_ids)?.slice(0, 100));
      }
      isError(t, await owner.put(of(), { body: { type_ids: [], other: 1 } }), 400, 'unknown_field', 'another member');
      t.same(ids((await owner.get(of())).body), [bug], 'nothing was changed');
    },
  );

  await t.test('a deleted type is removed from the schemes, and the others keep their order', async (t) => {
    const made = await admin.post('/api/v1/admin/issue-types', {
      body: { name: 'chore', display_name: 'Chore', color: '0a1b2c' },
    });
    const { id } = made.body as { readonly id: string };
    t.same(ids((await put([task, id, bug])).body), [task, id, bug]);
    t.equal((await admin.delete(`/api/v1/admin/issue-types/${id}`)).status, 204);
    const left = (await owner.get(of())).body as Item[];
    t.same(
      left.map(({ issue_type, position }) => [issue_type.id, position]),
      [
        [task, 0],
        [bug, 1],
      ],
    );
  });

  await t.test('of 20 concurrent replacements one is stored completely', async (t) => {
    const sets = [[bug], [task, bug], [epic, task, bug], [epic]];
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => put(sets[index % sets.length])));
    t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
    const left = JSON.stringify(ids((await owner.get(of())).body));
    t.ok(
      sets.some((set) => JSON.stringify(set) === left),
      left,
    );
  });
});
