// Tests of issue types: the built-in types, and every status of each operation of the catalogue and its administration.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import { nearlyFull } from '#test/support/wrapped-store';

interface IssueType {
  readonly id: string;
  readonly name: string;
  readonly display_name: string;
  readonly position: number;
}

const types = '/api/v1/issue-types';
const administered = '/api/v1/admin/issue-types';
const absent = '00000000-0000-4000-8000-0000000000ff';
const builtIn = (digit: number): string => `00000000-0000-4000-8000-00000000000${digit}`;
const names = ['epic', 'story', 'task', 'analysis', 'bug', 'feature', 'support'];

// All repositories of a forge share its types, so this test does not use the shared forge.
void t.test('issue types', async (t) => {
  const forge = await startTestForge(t);
  const admin = await forge.administrator();
  const alice = (await forge.createUser('alice')).client;
  const all = async (): Promise<readonly IssueType[]> => (await alice.get(types)).body as IssueType[];
  const chore = { name: 'chore', display_name: 'Chore', color: '0A1b2c' };
  const made = async (body: object = {}): Promise<IssueType> => {
    const answer = await admin.post(administered, { body: { ...chore, ...body } });
    t.equal(answer.status, 201, answer.text);
    return answer.body as IssueType;
  };
  const remove = (id: string) => admin.delete(`${administered}/${id}`);

  await t.test('the seven built-in types are listed in the order of their fixed ids, with all members', async (t) => {
    const answer = await alice.get(types);
    t.equal(answer.status, 200);
    t.same(
      (answer.body as IssueType[]).map(({ id, name, position }) => [id, name, position]),
      names.map((name, index) => [builtIn(index + 1), name, index + 1]),
    );
    for (const type of answer.body as (IssueType & { is_subtask: boolean })[]) {
      t.same(Object.keys(type).toSorted(), [
        'color',
        'description',
        'display_name',
        'icon',
        'id',
        'is_subtask',
        'name',
        'position',
      ]);
      t.equal(type.is_subtask, false, type.name);
    }
  });

  await t.test('GET: any signed-in user, with a token of any scope; 400, 401, 404', async (t) => {
    const bug = await alice.get(`${types}/${builtIn(5).toUpperCase()}`);
    t.same([bug.status, bug.body], [200, (await all())[4]]);
    const token = await forge.pat(alice, ['ci:read']);
    t.equal((await token.get(types)).status, 200);
    t.equal((await token.get(`${types}/${builtIn(5)}`)).status, 200);
    for (const path of [types, `${types}/${builtIn(5)}`, `${types}/${absent}`])
      isError(t, await forge.anonymous.get(path), 401, 'unauthorized', path);
    isError(t, await alice.get(`${types}/${absent}`), 404, 'not_found', 'an unknown type');
    isError(t, await alice.get(`${types}/bug`), 400, 'validation_failed', 'a name is not an id');
  });

  await t.test(
    'POST answers 201 with the type; its name is trimmed and lower-cased, omitted members have their defaults',
    async (t) => {
      const answer = await admin.post(administered, {
        body: { name: '  Chore\t', display_name: 'Chore', color: '0A1b2c' },
      });
      const { id } = answer.body as IssueType;
      t.same(
        [answer.status, answer.body],
        [
          201,
          {
            id,
            name: 'chore',
            display_name: 'Chore',
            description: '',
            color: '0A1b2c',
            icon: '',
            is_subtask: false,
            position: 8,
          },
        ],
      );
      t.same((await alice.get(`${types}/${id}`)).body, answer.body);
      const whole = {
        display_name: 'Sub-task',
        description: 'Part of one',
        color: 'ffffff',
        is_subtask: true,
        position: 0,
      };
      const other = await admin.post(administered, { body: { ...whole, name: 'sub-task', icon_name: 'split' } });
      const otherId = (other.body as IssueType).id;
      t.same([other.status, other.body], [201, { ...whole, id: otherId, name: 'sub-task', icon: 'split' }]);
      t.same(
        (await all()).map(({ name }) => name),
        ['sub-task', ...names, 'chore'],
        'by position',
      );
      for (const one of [id, otherId]) t.equal((await remove(one)).status, 204);
    },
  );

  await t.test('POST: 400 for members that are missing, malformed, out of bounds or unknown', async (t) => {
    const cases: readonly (readonly [body: object, field: string])[] = [
      [{ name: undefined }, 'name'],
      [{ name: '' }, 'name'],
      [{ name: ' \t ' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ name: 7 }, 'name'],
      [{ name: 'x'.repeat(65) }, 'name'],
      [{ display_name: undefined }, 'display_name'],
      [{ display_name: '' }, 'display_name'],
      [{ display_name: '  ' }, 'display_name'],
      [{ display_name: 'x'.repeat(101) }, 'display_name'],
      [{ color: undefined }, 'color'],
      [{ color: '#0a1b2c' }, 'color'],
      [{ color: '0a1b2' }, 'color'],
      [{ color: 'red' }, 'color'],
      [{ description: null }, 'description'],
      [{ description: 'x'.repeat(1001) }, 'description'],
      [{ icon_name: 'x'.repeat(65) }, 'icon_name'],
      [{ is_subtask: 'true' }, 'is_subtask'],
      [{ position: -1 }, 'position'],
      [{ position: 1.5 }, 'position'],
      [{ position: '1' }, 'position'],
      [{ position: 1_000_001 }, 'position'],
    ];
    for (const [body, field] of cases) {
      const answer = await admin.post(administered, { body: { ...chore, ...body } });
      isError(t, answer, 400, 'validation_failed', JSON.stringify(body));
      t.match((answer.body as { detail: string }).detail, `"${field}"`, JSON.stringify(body));
    }
    for (const field of ['id', 'icon', 'shape'])
      isError(t, await admin.post(administered, { body: { ...chore, [field]: 'x' } }), 400, 'unknown_field', field);
    t.equal((await all()).length, 7, 'nothing was created');
    const longest = { name: 'x'.repeat(64), display_name: 'x'.repeat(100), description: 'x'.repeat(1000) };
    const { id } = await made({ ...longest, icon_name: 'x'.repeat(64), position: 1_000_000 });
    t.equal((await remove(id)).status, 204);
  });

  await t.test('POST: 409 for a name that is in use, ignoring case, also for a built-in one', async (t) => {
    const { id } = await made();
    for (const name of ['chore', ' CHORE ', 'Bug'])
      isError(t, await admin.post(administered, { body: { ...chore, name } }), 409, 'conflict', name);
    t.equal((await remove(id)).status, 204);
    const again = await made();
    t.not(again.id, id, 'the name is free again');
    t.equal((await remove(again.id)).status, 204);
  });

  await t.test('PATCH changes only the members that are sent; a built-in type keeps its id and name', async (t) => {
    const before = (await all())[5] as IssueType;
    const path = `${administered}/${builtIn(6)}`;
    const changed = await admin.patch(path, { body: { display_name: 'Deficiency' } });
    t.same([changed.status, changed.body], [200, { ...before, display_name: 'Deficiency' }]);
    t.same((await admin.patch(path, { body: {} })).body, changed.body, 'an empty change');
    const rest = { description: '', color: 'ABCDEF', position: 9 };
    const more = await admin.patch(path, { body: { ...rest, icon_name: '' } });
    t.same([more.status, more.body], [200, { ...before, ...rest, icon: '', display_name: 'Deficiency' }]);
    t.same((await alice.get(`${types}/${builtIn(6)}`)).body, more.body);
    t.equal((await all()).at(-1)?.name, 'feature', 'the list is ordered by position');
    const { display_name, position } = before;
    t.equal((await admin.patch(path, { body: { display_name, position } })).status, 200);
  });

  await t.test(
    'PATCH: 400 for the immutable name, is_subtask and invalid values; 404 for an unknown type',
    async (t) => {
      const path = `${administered}/${builtIn(6)}`;
      for (const field of ['name', 'is_subtask', 'id', 'icon'])
        isError(t, await admin.patch(path, { body: { [field]: 'x' } }), 400, 'unknown_field', field);
      const bad = [
        { display_name: '' },
        { display_name: ' ' },
        { display_name: null },
        { color: '12345g' },
        { position: -1 },
        { icon_name: 1 },
      ];
      for (const body of bad)
        isError(t, await admin.patch(path, { body }), 400, 'validation_failed', JSON.stringify(body));
      isError(t, await admin.patch(`${administered}/feature`, { body: {} }), 400, 'validation_failed', 'not an id');
      isError(
        t,
        await admin.patch(`${administered}/${absent}`, { body: { color: '000000' } }),
        404,
        'not_found',
        'a change',
      );
      isError(t, await admin.patch(`${administered}/${absent}`, { body: {} }), 404, 'not_found', 'an empty change');
      t.same(
        (await all()).map(({ name }) => name),
        names,
      );
    },
  );

  await t.test('DELETE: 204, then 404; 409 for a built-in type, which remains', async (t) => {
    const { id } = await made();
    const gone = await remove(id);
    t.same([gone.status, gone.text], [204, '']);
    isError(t, await remove(id), 404, 'not_found', 'again');
    isError(t, await remove('bug'), 400, 'validation_failed', 'not an id');
    for (const type of await all()) isError(t, await remove(type.id), 409, 'conflict', type.name);
    t.same(
      (await all()).map(({ name }) => name),
      names,
    );
  });

  await t.test('only instance administrators may write, and a personal access token needs admin:system', async (t) => {
    const writes = [
      (client: typeof alice) => client.post(administered, { body: {} }),
      (client: typeof alice) => client.patch(`${administered}/${absent}`, { body: { name: 1 } }),
      (client: typeof alice) => client.delete(`${administered}/${absent}`),
    ];
    const narrow = await forge.pat(admin, ['repo:admin', 'issue:write', 'admin:users']);
    const wide = await forge.pat(admin, ['admin:system']);
    const expected = [400, 400, 404];
    for (const [index, write] of writes.entries()) {
      isError(t, await write(forge.anonymous), 401, 'unauthorized', `anonymous, ${index}`);
      isError(t, await write(alice), 403, 'forbidden', `a user, ${index}`);
      isError(t, await write(await forge.pat(alice, ['admin:system'])), 403, 'forbidden', `a user's token, ${index}`);
      isError(t, await write(narrow), 403, 'insufficient_scope', `a narrow token, ${index}`);
      t.equal((await write(wide)).status, expected[index], `a wide token, ${index}`);
    }
  });
});

void t.test('an instance has at most 200 issue types: one more is 422', async (t) => {
  const forge = await startTestForge(t, { definitions: [await nearlyFull('issues', 'types', 192)] });
  const admin = await forge.administrator();
  const body = { name: 'chore', display_name: 'Chore', color: '0A1b2c' };
  t.equal((await admin.post(administered, { body })).status, 201);
  isError(t, await admin.post(administered, { body: { ...body, name: 'more' } }), 422, 'unprocessable', 'one more');
});
