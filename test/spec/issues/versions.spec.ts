// Tests of versions of a repository: every status of each operation.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { sharedForge } from '#test/support/shared-forge';

interface Version {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly released: boolean;
  readonly release_date: string | null;
}

const absent = '00000000-0000-4000-8000-0000000000ff';

void t.test('versions', async (t) => {
  const forge = await sharedForge(t);
  const owner = (await forge.createUser('owner')).client;
  const [code, other] = ['/api/v1/repos/owner/code', '/api/v1/repos/owner/other'] as const;
  await owner.post('/api/v1/repos', { body: { name: 'code', visibility: 'public' } });
  await owner.post('/api/v1/repos', { body: { name: 'other' } });
  const all = `${code}/versions`;
  const made = async (body: object, path = all): Promise<Version> => {
    const answer = await owner.post(path, { body });
    t.equal(answer.status, 201, answer.text);
    return answer.body as Version;
  };
  const names = async (): Promise<readonly string[]> =>
    ((await owner.get(all)).body as { items: Version[] }).items.map(({ name }) => name);

  await t.test('POST answers 201 with the version; GET lists them by name, in pages', async (t) => {
    const one = await made({ name: '1.0' });
    t.same(one, { id: one.id, name: '1.0', description: '', released: false, release_date: null });
    const body = { name: '0.9', description: 'The first', released: true, release_date: '2024-02-29' };
    const first = await made(body);
    t.same(first, { ...body, id: first.id });
    const list = await forge.anonymous.get(all);
    t.same([list.status, list.body], [200, { items: [first, one], total: 2, page: 1, per_page: 25 }]);
    t.same((await owner.get(`${all}?page=2&per_page=1`)).body, { items: [one], total: 2, page: 2, per_page: 1 });
    for (const { id } of [one, first]) t.equal((await owner.delete(`${all}/${id}`)).status, 204);
    t.same(await names(), []);
  });

  await t.test('PATCH changes only the members that are sent; null clears the date', async (t) => {
    const before = await made({ name: '1.0', release_date: '2026-12-31' });
    const path = `${all}/${before.id}`;
    const released = await owner.patch(path, { body: { released: true } });
    t.same([released.status, released.body], [200, { ...before, released: true }]);
    t.same((await owner.patch(path, { body: {} })).body, released.body, 'an empty change');
    const cleared = { ...before, released: true, release_date: null };
    t.same((await owner.patch(path, { body: { release_date: null } })).body, cleared);
    const rest = { name: '1.0.0', description: 'Ready', released: false, release_date: '2027-01-01' };
    t.same((await owner.patch(path, { body: rest })).body, { ...rest, id: before.id });
    t.equal((await owner.delete(path)).status, 204);
  });

  await t.test('400 for members that are missing, malformed, out of bounds or unknown', async (t) => {
    const { id } = await made({ name: 'known' });
    const cases: readonly (readonly [body: object, field: string])[] = [
      [{ name: '' }, 'name'],
      [{ name: ' 1' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ name: 'x', description: 'x'.repeat(1001) }, 'description'],
      [{ name: 'x', released: 'true' }, 'released'],
      [{ name: 'x', released: null }, 'released'],
      [{ name: 'x', release_date: '' }, 'release_date'],
      [{ name: 'x', release_date: '2025-02-29' }, 'release_date'],
      [{ name: 'x', release_date: '2025-2-1' }, 'release_date'],
      [{ name: 'x', release_date: '2025-02-01T00:00:00Z' }, 'release_date'],
      [{ name: 'x', release_date: 20250201 }, 'release_date'],
    ];
    for (const [body, field] of cases)
      for (const answer of [await owner.post(all, { body }), await owner.patch(`${all}/${id}`, { body })]) {
        isError(t, answer, 400, 'validation_failed', JSON.stringify(body));
        t.match((answer.body as { detail: string }).detail, `"${field}"`, JSON.stringify(body));
      }
    isError(t, await owner.post(all, { body: { released: true } }), 400, 'validation_failed', 'no name');
    isError(t, await owner.post(all, { body: { name: 'x', state: 'open' } }), 400, 'unknown_field', 'created');
    isError(t, await owner.patch(`${all}/${id}`, { body: { state: 'open' } }), 400, 'unknown_field', 'changed');
    isError(t, await owner.patch(`${all}/1.0`, { body: {} }), 400, 'validation_failed', 'not an id');
    isError(t, await owner.delete(`${all}/1.0`), 400, 'validation_failed', 'not an id');
    t.same(await names(), ['known'], 'nothing was written');
  });

  await t.test('409 for a name that is in use; 404 for an unknown version, or one of another repository', async (t) => {
    const one = await made({ name: 'v1-RC' });
    const two = await made({ name: 'v2' });
    isError(t, await owner.post(all, { body: { name: 'V1-rc' } }), 409, 'conflict', 'created');
    isError(t, await owner.patch(`${all}/${two.id}`, { body: { name: 'V1-rc' } }), 409, 'conflict', 'renamed');
    t.equal((await owner.patch(`${all}/${one.id}`, { body: { name: 'V1-rc' } })).status, 200, 'its own name');
    const hidden = await made({ name: 'v1-rc' }, `${other}/versions`);
    for (const id of [absent, hidden.id]) {
      isError(t, await owner.patch(`${all}/${id}`, { body: { released: true } }), 404, 'not_found', id);
      isError(t, await owner.delete(`${all}/${id}`), 404, 'not_found', id);
    }
    const components = `${code}/components`;
    isError(t, await owner.delete(`${components}/${one.id}`), 404, 'not_found', 'a version is not a component');
  });
});
