// Tests of components of a repository: every status of each operation.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { sharedForge } from '#test/support/shared-forge';

interface Component {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

const absent = '00000000-0000-4000-8000-0000000000ff';

void t.test('components', async (t) => {
  const forge = await sharedForge(t);
  const owner = (await forge.createUser('owner')).client;
  const [code, other] = ['/api/v1/repos/owner/code', '/api/v1/repos/owner/other'] as const;
  await owner.post('/api/v1/repos', { body: { name: 'code', visibility: 'public' } });
  await owner.post('/api/v1/repos', { body: { name: 'other' } });
  const all = `${code}/components`;
  const made = async (body: object, path = all): Promise<Component> => {
    const answer = await owner.post(path, { body });
    t.equal(answer.status, 201, answer.text);
    return answer.body as Component;
  };
  const names = async (query = ''): Promise<readonly string[]> =>
    ((await owner.get(`${all}${query}`)).body as { items: Component[] }).items.map(({ name }) => name);

  await t.test('POST answers 201 with the component; GET lists them by name, in pages', async (t) => {
    const core = await made({ name: 'core', description: 'What the rest stands on' });
    t.same(core, { id: core.id, name: 'core', description: 'What the rest stands on' });
    const web = await made({ name: 'Web' });
    t.same(web, { id: web.id, name: 'Web', description: '' });
    const api = await made({ name: 'api' });
    const list = await forge.anonymous.get(all);
    t.same([list.status, list.body], [200, { items: [api, core, web], total: 3, page: 1, per_page: 25 }]);
    t.same((await owner.get(`${all}?page=2&per_page=2`)).body, { items: [web], total: 3, page: 2, per_page: 2 });
    t.match((await owner.get(`${all}?per_page=101`)).body, { per_page: 25 });
    t.same(await names('?page=9'), []);
    for (const { id } of [core, web, api]) t.equal((await owner.delete(`${all}/${id}`)).status, 204);
  });

  await t.test('PATCH changes only the members that are sent', async (t) => {
    const before = await made({ name: 'core', description: 'Old' });
    const path = `${all}/${before.id}`;
    const renamed = await owner.patch(path, { body: { name: 'Core' } });
    t.same([renamed.status, renamed.body], [200, { ...before, name: 'Core' }]);
    t.same((await owner.patch(path, { body: {} })).body, renamed.body, 'an empty change');
    t.same((await owner.patch(path, { body: { description: '' } })).body, { ...before, name: 'Core', description: '' });
    t.same(await names(), ['Core']);
    t.equal((await owner.delete(path)).status, 204);
  });

  await t.test('409 for a name that is in use in the repository, ignoring case', async (t) => {
    const [core, web] = [await made({ name: 'core' }), await made({ name: 'web' })];
    isError(t, await owner.post(all, { body: { name: 'CORE' } }), 409, 'conflict', 'created');
    isError(t, await owner.patch(`${all}/${web.id}`, { body: { name: 'Core' } }), 409, 'conflict', 'renamed');
    t.same(await names(), ['core', 'web']);
    const elsewhere = await made({ name: 'core' }, `${other}/components`);
    t.equal((await owner.delete(`${other}/components/${elsewhere.id}`)).status, 204);
    for (const { id } of [core, web]) t.equal((await owner.delete(`${all}/${id}`)).status, 204);
    await made({ name: 'core' });
    t.same(await names(), ['core'], 'the name is free again');
  });

  await t.test('400 for members that are missing, malformed, out of bounds or unknown', async (t) => {
    const { id } = await made({ name: 'known' });
    const cases: readonly (readonly [body: object, field: string])[] = [
      [{ name: '' }, 'name'],
      [{ name: ' padded' }, 'name'],
      [{ name: 'padded ' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ name: 7 }, 'name'],
      [{ name: null }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ name: 'x', description: null }, 'description'],
      [{ name: 'x', description: 'x'.repeat(1001) }, 'description'],
    ];
    for (const [body, field] of [...cases, [{}, 'name'] as const]) {
      const answers = [await owner.post(all, { body })];
      if (Object.keys(body).length > 0) answers.push(await owner.patch(`${all}/${id}`, { body }));
      for (const answer of answers) {
        isError(t, answer, 400, 'validation_failed', JSON.stringify(body));
        t.match((answer.body as { detail: string }).detail, `"${field}"`, JSON.stringify(body));
      }
    }
    isError(t, await owner.post(all, { body: { name: 'x', id } }), 400, 'unknown_field', 'created');
    isError(t, await owner.patch(`${all}/${id}`, { body: { lead: 'x' } }), 400, 'unknown_field', 'changed');
    isError(t, await owner.patch(`${all}/core`, { body: {} }), 400, 'validation_failed', 'not an id');
    isError(t, await owner.delete(`${all}/core`), 400, 'validation_failed', 'not an id');
    t.same(await names(), ['core', 'known'], 'nothing was written');
    const longest = { name: 'x'.repeat(100), description: 'y'.repeat(1000) };
    t.match(await made(longest), longest);
  });

  await t.test('404 for an unknown component, and for one of another repository', async (t) => {
    const hidden = await made({ name: 'hidden' }, `${other}/components`);
    for (const id of [absent, hidden.id]) {
      isError(t, await owner.patch(`${all}/${id}`, { body: { name: 'x' } }), 404, 'not_found', id);
      isError(t, await owner.patch(`${all}/${id}`, { body: {} }), 404, 'not_found', id);
      isError(t, await owner.delete(`${all}/${id}`), 404, 'not_found', id);
    }
    t.same(((await owner.get(`${other}/components`)).body as { items: unknown }).items, [hidden], 'untouched');
  });

  await t.test('components are deleted with their repository', async (t) => {
    const gone = await owner.delete(other, { body: { confirmation: 'owner/other' } });
    t.equal(gone.status, 204, gone.text);
    t.equal((await owner.get(`${other}/components`)).status, 404);
    t.equal((await owner.post('/api/v1/repos', { body: { name: 'other' } })).status, 201);
    t.match((await owner.get(`${other}/components`)).body, { items: [], total: 0 });
  });
});
