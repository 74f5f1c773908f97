// Tests of labels: every operation, status and bound.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { sharedForge } from '#test/support/shared-forge';

const repos = '/api/v1/repos';
const bug = { name: 'Bug', color: 'd73a4a' } as const;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const nobody = '00000000-0000-4000-8000-0000000000ff';

interface LabelJson {
  readonly id: string;
  readonly repo_id: string;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
}

void t.test('labels', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [(await forge.createUser('alice')).client, (await forge.createUser('bob')).client];
  const repository = async (name: string, visibility = 'public'): Promise<string> => {
    const answer = await alice.post(repos, { body: { name, visibility } });
    t.equal(answer.status, 201);
    return (answer.body as { readonly id: string }).id;
  };
  const openId = await repository('open');
  await repository('shut', 'private');
  const open = `${repos}/alice/open/labels`;
  const shut = `${repos}/alice/shut/labels`;
  const make = async (body: object, path = open, client: Client = alice): Promise<LabelJson> => {
    const answer = await client.post(path, { body });
    t.equal(answer.status, 201, answer.text);
    return answer.body as LabelJson;
  };
  const names = async (path = open, client: Client = forge.anonymous): Promise<string> => {
    const answer = await client.get(path);
    t.equal(answer.status, 200);
    return (answer.body as readonly LabelJson[]).map(({ name }) => name).join(' ');
  };
  /** Deletes all labels of the repository. */
  const clear = async (path = open): Promise<void> => {
    for (const { id } of (await alice.get(path)).body as readonly LabelJson[])
      t.equal((await alice.delete(`${path}/${id}`)).status, 204);
  };

  await t.test(
    'POST: 201 with { id, repo_id, name, color, description }, null without a description; GET answers the same',
    async (t) => {
      const made = await make(bug);
      t.match(made.id, uuid);
      t.strictSame(made, { id: made.id, repo_id: openId, ...bug, description: null });
      t.strictSame((await forge.anonymous.get(`${open}/${made.id}`)).body, made);
      t.strictSame((await forge.anonymous.get(`${open}/${made.id.toUpperCase()}`)).body, made);
      const told = await make({ name: 'told', color: 'FFffFF', description: 'A "label"\nof ours' });
      t.match(told, { color: 'FFffFF', description: 'A "label"\nof ours' });
      for (const description of ['', null])
        t.equal((await make({ name: `none, ${description}.`, color: '000000', description })).description, null);
      await clear();
    },
  );

  await t.test('GET: a bare array ordered by name, for every reader', async (t) => {
    t.strictSame((await forge.anonymous.get(open)).body, []);
    for (const name of ['b', 'C', 'a']) await make({ ...bug, name });
    t.equal(await names(), 'a b C');
    t.equal(await names(open, bob), 'a b C');
    await clear();
  });

  await t.test('POST: 400 beyond the bounds and for unknown fields', async (t) => {
    const refused: readonly (readonly [body: object, field: string])[] = [
      [{ color: bug.color }, 'name'],
      [{ name: '', color: bug.color }, 'name'],
      [{ name: 'x'.repeat(65), color: bug.color }, 'name'],
      [{ name: ' x', color: bug.color }, 'name'],
      [{ name: 'x ', color: bug.color }, 'name'],
      [{ name: ' ', color: bug.color }, 'name'],
      [{ name: 'a\nb', color: bug.color }, 'name'],
      [{ name: null, color: bug.color }, 'name'],
      [{ name: 7, color: bug.color }, 'name'],
      [{ name: 'x' }, 'color'],
      ...['', 'red', '#d73a4a', 'd73a4', 'd73a4a0', 'g73a4a', null].map(
        (color) => [{ name: 'x', color }, 'color'] as const,
      ),
      [{ ...bug, description: 'x'.repeat(256) }, 'description'],
      [{ ...bug, description: 1 }, 'description'],
    ];
    for (const [body, field] of refused) {
      const answer = await alice.post(open, { body });
      isError(t, answer, 400, 'validation_failed', JSON.stringify(body).slice(0, 60));
      t.match((answer.body as { readonly detail: string }).detail, `"${field}"`);
    }
    isError(t, await alice.post(open, { body: { ...bug, id: nobody } }), 400, 'unknown_field', 'an id');
    t.equal(await names(), '');
    const most = { name: 'x'.repeat(64), color: bug.color, description: 'y'.repeat(255) };
    t.match(await make(most), most);
    await clear();
  });

  await t.test('names are compared however their letters are composed, and kept as sent', async (t) => {
    const [composed, decomposed] = ['Gr\u00f6ße', 'GRo\u0308ße'];
    const made = await make({ ...bug, name: decomposed });
    t.match(made, { name: decomposed });
    isError(t, await alice.post(open, { body: { ...bug, name: composed } }), 409, 'conflict', 'composed');
    await clear();
  });

  await t.test('POST and PATCH: 409 for a name that is in use, ignoring case', async (t) => {
    const [first, second] = [await make(bug), await make({ ...bug, name: 'other' })];
    for (const name of ['Bug', 'bUG']) {
      isError(t, await alice.post(open, { body: { ...bug, name } }), 409, 'conflict', `POST ${name}`);
      isError(t, await alice.patch(`${open}/${second.id}`, { body: { name } }), 409, 'conflict', `PATCH ${name}`);
    }
    t.equal((await alice.patch(`${open}/${first.id}`, { body: { name: 'bUG' } })).status, 200, 'its own name');
    t.equal(await names(), 'bUG other');
    t.equal((await alice.post(shut, { body: bug })).status, 201, 'names are unique per repository');
    await clear();
    await clear(shut);
  });

  await t.test('PATCH: 200, any subset, the rest is unchanged; the same validation', async (t) => {
    const made = await make({ ...bug, description: 'what' });
    const path = `${open}/${made.id}`;
    const patch = async (body: object): Promise<unknown> => {
      const answer = await alice.patch(path, { body });
      t.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    t.strictSame(await patch({}), made);
    t.strictSame(await patch({ name: 'Defect' }), { ...made, name: 'Defect' });
    t.strictSame(await patch({ color: '00ff00' }), { ...made, name: 'Defect', color: '00ff00' });
    t.strictSame(await patch({ description: null, name: 'Bug' }), { ...made, color: '00ff00', description: null });
    t.strictSame(await patch({ description: 'again' }), { ...made, color: '00ff00', description: 'again' });
    t.strictSame(await patch({ description: '' }), { ...made, color: '00ff00', description: null });
    for (const body of [{ name: '' }, { name: 'x'.repeat(65) }, { color: '#00ff00' }, { description: 'x'.repeat(256) }])
      isError(t, await alice.patch(path, { body }), 400, 'validation_failed', JSON.stringify(body).slice(0, 60));
    isError(t, await alice.patch(path, { body: { repo_id: nobody } }), 400, 'unknown_field', 'a repository');
    t.match((await alice.get(path)).body, { name: 'Bug', color: '00ff00' });
    await clear();
  });

  await t.test('400 for a malformed id, 404 for an unknown one or one of another repository', async (t) => {
    const { id } = await make(bug, shut);
    const asks = (path: string): readonly (readonly [string, Promise<Awaited<ReturnType<Client['get']>>>])[] => [
      ['GET', alice.get(path)],
      ['PATCH', alice.patch(path, { body: { name: 'taken' } })],
      ['DELETE', alice.delete(path)],
    ];
    for (const [method, answer] of [...asks(`${open}/${id}`), ...asks(`${open}/${nobody}`)])
      isError(t, await answer, 404, 'not_found', method);
    isError(t, await alice.get(`${open}/none`), 400, 'validation_failed', 'GET');
    isError(t, await alice.patch(`${open}/none`, { body: {} }), 400, 'validation_failed', 'PATCH');
    t.equal(await names(shut, alice), 'Bug', 'it is unchanged');
    await clear(shut);
  });

  await t.test('DELETE: 204 by id; also by name, with Deprecation and a Link to the route by id', async (t) => {
    const byId = await make(bug);
    const gone = await alice.delete(`${open}/${byId.id.toUpperCase()}`);
    t.strictSame([gone.status, gone.headers.get('deprecation'), gone.headers.get('link')], [204, null, null]);
    isError(t, await alice.delete(`${open}/${byId.id}`), 404, 'not_found', 'twice');
    for (const [name, segment] of [
      ['Bug', 'bUG'],
      ['über "50%" / so', encodeURIComponent('Über "50%" / so')],
    ] as const) {
      const { id } = await make({ ...bug, name });
      isError(t, await bob.delete(`${open}/${segment}`), 403, 'forbidden', name);
      const answer = await alice.delete(`${open}/${segment}`);
      t.strictSame([answer.status, answer.headers.get('deprecation')], [204, '@1767225600'], name);
      t.equal(answer.headers.get('link'), `<${forge.url}${open}/${id}>; rel="successor-version"`, name);
      isError(t, await alice.delete(`${open}/${segment}`), 404, 'not_found', name);
    }
  });

  await t.test('changes need label.create, which triage and higher roles have; 401 without a credential', async (t) => {
    const { id } = await make(bug);
    const asks = async (client: Client) => [
      await client.post(open, { body: { ...bug, name: 'other' } }),
      await client.patch(`${open}/${id}`, { body: { name: 'changed' } }),
      await client.delete(`${open}/${id}`),
    ];
    for (const answer of await asks(forge.anonymous)) isError(t, answer, 401, 'unauthorized', 'anonymous');
    const role = async (name: string): Promise<void> => {
      const put = await alice.put(`${repos}/alice/open/collaborators/bob`, { body: { role: name } });
      t.equal(put.status, 204);
    };
    for (const answer of await asks(bob)) isError(t, answer, 403, 'forbidden', 'a reader');
    await role('read');
    for (const answer of await asks(bob)) isError(t, answer, 403, 'forbidden', 'the role read');
    await role('triage');
    t.strictSame(
      (await asks(bob)).map(({ status }) => status),
      [201, 200, 204],
    );
    await clear();
  });

  await t.test('labels of a private repository are 404 for a caller who may not read it', async (t) => {
    const { id } = await make(bug, shut);
    for (const client of [forge.anonymous, bob])
      for (const path of [shut, `${shut}/${id}`]) isError(t, await client.get(path), 404, 'not_found', path);
    isError(t, await bob.post(shut, { body: bug }), 404, 'not_found', 'POST');
    isError(t, await bob.delete(`${shut}/${id}`), 404, 'not_found', 'DELETE');
    await clear(shut);
  });

  await t.test('tokens need issue:read to read and issue:write to change', async (t) => {
    const { id } = await make(bug);
    for (const scope of ['issue:read', 'issue:write']) {
      const token = await forge.pat(alice, [scope]);
      for (const path of [open, `${open}/${id}`]) t.equal((await token.get(path)).status, 200, `${scope} ${path}`);
    }
    const [reader, writer] = [await forge.pat(alice, ['issue:read']), await forge.pat(alice, ['issue:write'])];
    const body = { ...bug, name: 'other' };
    isError(t, await reader.post(open, { body }), 403, 'insufficient_scope', 'POST');
    isError(t, await reader.patch(`${open}/${id}`, { body: {} }), 403, 'insufficient_scope', 'PATCH');
    isError(t, await reader.delete(`${open}/${id}`), 403, 'insufficient_scope', 'DELETE');
    isError(t, await (await forge.pat(alice, ['repo:admin'])).get(open), 403, 'insufficient_scope', 'another family');
    t.equal((await writer.post(open, { body })).status, 201);
    t.equal((await writer.patch(`${open}/${id}`, { body: { color: '000000' } })).status, 200);
    t.equal((await writer.delete(`${open}/${id}`)).status, 204);
    await clear();
  });

  await t.test('twenty concurrent creations of one name make one label, and the others are 409', async (t) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => alice.post(open, { body: { ...bug, name: index % 2 ? 'One' : 'oNE' } })),
    );
    t.strictSame(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [201, ...Array.from({ length: 19 }, () => 409)],
    );
    t.equal((await names()).toLowerCase(), 'one');
    await clear();
  });
});
