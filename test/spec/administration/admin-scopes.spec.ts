// Tests of the grants of admin scopes: every status of each operation.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { sharedForge } from '#test/support/shared-forge';
import { adminScopes as scopes } from './admin-table.ts';

const nobody = '00000000-0000-4000-8000-0000000000ff';
const ofUser = (id: string) => `/api/v1/admin/users/${id}/admin-scopes`;
const holders = '/api/v1/admin/admin-scopes';

interface Grant {
  readonly user_id: string;
  readonly scope: string;
  readonly granted_by: string;
  readonly created_at: string;
}

void t.test('grants of admin scopes', async (t) => {
  const forge = await sharedForge(t);
  const admin = await forge.administrator();
  const { id: adminId } = (await admin.get('/api/v1/auth/me')).body as { id: string };
  const bob = await forge.createUser('bob');
  const eve = await forge.createUser('eve');
  const grant = (client: Client, id: string, scope: unknown) => client.post(ofUser(id), { body: { scope } });
  const revoke = (client: Client, id: string, scope: string) => client.delete(`${ofUser(id)}/${scope}`);

  await t.test(
    'POST: 200 with the grant, for each of the eleven scopes; a second POST does not change it',
    async (t) => {
      for (const scope of scopes) {
        const answer = await grant(admin, bob.id, scope);
        t.equal(answer.status, 200, scope);
        const { created_at: at, ...rest } = answer.body as Grant;
        t.strictSame(rest, { user_id: bob.id, scope, granted_by: adminId });
        t.strictSame((await grant(admin, bob.id, scope)).body, { ...rest, created_at: at });
      }
      t.strictSame(
        (await grant(bob.client, bob.id, 'admin:users')).body,
        (await grant(admin, bob.id, 'admin:users')).body,
      );
    },
  );

  await t.test('GET: 200 with { grants, total } of a user', async (t) => {
    const { status, body } = await admin.get(ofUser(bob.id));
    const { grants, total } = body as { grants: readonly Grant[]; total: number };
    t.strictSame([status, total, Object.keys(body as object)], [200, 11, ['grants', 'total']]);
    t.strictSame(
      grants.map(({ scope }) => scope),
      scopes.toSorted(),
    );
    t.strictSame((await admin.get(ofUser(eve.id))).body, { grants: [], total: 0 });
  });

  await t.test('GET by scope: 200 with { grants, total, limit, offset }, 50 by default and at most 500', async (t) => {
    t.equal((await grant(admin, eve.id, 'admin:runners')).status, 200);
    const list = async (query: string) =>
      (await admin.get(`${holders}?${query}`)).body as Readonly<Record<'total' | 'limit' | 'offset', number>> & {
        readonly grants: readonly Grant[];
      };
    const whole = await list('scope=admin:runners');
    t.strictSame([whole.total, whole.limit, whole.offset], [2, 50, 0]);
    t.strictSame(
      whole.grants.map(({ user_id }) => user_id),
      [bob.id, eve.id],
    );
    const second = await list('scope=admin:runners&limit=1&offset=1');
    t.strictSame([second.grants, second.total, second.limit, second.offset], [whole.grants.slice(1), 2, 1, 1]);
    t.match(await list('scope=admin:runners&limit=501&offset=-1'), { limit: 500, offset: 0 });
    isError(t, await admin.get(holders), 400, 'validation_failed', 'without a scope');
    isError(t, await admin.get(`${holders}?scope=`), 400, 'validation_failed', 'an empty scope');
    isError(t, await admin.get(`${holders}?scope=admin:all`), 422, 'unprocessable', 'an unknown scope');
  });

  await t.test('400 for a malformed request, 404 for an unknown user, 422 for an unknown scope', async (t) => {
    for (const body of [{}, { scope: 1 }, { scope: null }, { scope: '' }])
      isError(t, await admin.post(ofUser(bob.id), { body }), 400, 'validation_failed', JSON.stringify(body));
    isError(t, await admin.post(ofUser(bob.id), { body: { scope: 'admin:users', x: 1 } }), 400, 'unknown_field', 'x');
    for (const answer of [
      await admin.get(ofUser('1')),
      await grant(admin, '1', 'admin:users'),
      await revoke(admin, '1', 'admin:users'),
    ])
      isError(t, answer, 400, 'validation_failed', 'a malformed id');
    isError(t, await admin.get(ofUser(nobody)), 404, 'not_found', 'list');
    isError(t, await grant(admin, nobody, 'admin:users'), 404, 'not_found', 'grant');
    isError(t, await revoke(admin, nobody, 'admin:users'), 404, 'not_found', 'revoke');
    for (const scope of ['admin', 'admin:', 'ADMIN:USERS', 'repo:read', '__proto__']) {
      isError(t, await grant(admin, bob.id, scope), 422, 'unprocessable', scope);
      isError(t, await revoke(admin, bob.id, scope), 422, 'unprocessable', scope);
    }
  });

  await t.test('DELETE: 204, also a second time, and the next request of the user lacks the scope', async (t) => {
    t.equal((await bob.client.get('/api/v1/admin/settings')).status, 200);
    t.equal((await revoke(admin, bob.id, 'admin:settings')).status, 204);
    t.equal((await revoke(admin, bob.id, 'admin:settings')).status, 204);
    const refused = await bob.client.get('/api/v1/admin/settings');
    isError(t, refused, 403, 'forbidden', 'without the scope');
    t.match(refused.body, { error: 'admin scope required: admin:settings' });
    t.equal((await grant(admin, bob.id, 'admin:settings')).status, 200);
    t.equal((await bob.client.get('/api/v1/admin/settings')).status, 200);
  });

  await t.test(
    'without admin:roles 401 or 403, also for unknown users; with it every scope except admin:roles can be granted',
    async (t) => {
      const all = (client: Client) =>
        Promise.all([
          client.get(holders),
          client.get(ofUser('malformed')),
          grant(client, nobody, 'admin:all'),
          revoke(client, nobody, 'admin:all'),
        ]);
      for (const answer of await all(forge.anonymous)) isError(t, answer, 401, 'unauthorized', 'anonymous');
      for (const answer of await all(eve.client)) {
        isError(t, answer, 403, 'forbidden', 'without the scope');
        t.match(answer.body, { error: 'admin scope required: admin:roles' });
      }
      t.equal((await grant(bob.client, eve.id, 'admin:users')).status, 200);
      isError(
        t,
        await grant(bob.client, eve.id, 'admin:roles'),
        403,
        'forbidden',
        'admin:roles granted by one of its holders',
      );
      isError(
        t,
        await grant(bob.client, bob.id, 'admin:roles'),
        403,
        'forbidden',
        'admin:roles granted again to a holder',
      );
      t.equal((await grant(admin, eve.id, 'admin:roles')).status, 200);
      t.equal((await revoke(bob.client, eve.id, 'admin:roles')).status, 204);
    },
  );

  await t.test('a personal access token also needs admin:system', async (t) => {
    const users = await forge.pat(bob.client, ['admin:users', 'repo:admin']);
    isError(t, await users.get(ofUser(bob.id)), 403, 'insufficient_scope', 'admin:users');
    const system = await forge.pat(bob.client, ['admin:system']);
    t.equal((await system.get(ofUser(bob.id))).status, 200);
    isError(
      t,
      await (await forge.pat(eve.client, ['admin:system'])).get(holders),
      403,
      'forbidden',
      'the token of a user without the grant',
    );
  });

  await t.test('grants are deleted with their user', async (t) => {
    const brief = await forge.createUser('brief');
    t.equal((await grant(admin, brief.id, 'admin:runners')).status, 200);
    t.equal((await admin.delete(`/api/v1/admin/users/${brief.id}`)).status, 204);
    const left = (await admin.get(`${holders}?scope=admin:runners`)).body as { grants: readonly Grant[] };
    t.notOk(left.grants.some(({ user_id }) => user_id === brief.id));
  });
});
