// A holder of admin:rate_limit, who is no instance administrator, narrows no budget of instance administrators.
import t from 'tap';
import { grantAdminScope } from '../oauth-server/flow.ts';
import { groups, isError, limits, members, overrides, startMetered } from './world.ts';

void t.test('a holder of admin:rate_limit', async (t) => {
  const { forge, admin, override } = await startMetered(t);
  const { id: adminId } = (await admin.get('/api/v1/user')).body as { readonly id: string };
  const holder = await forge.createUser('holder');
  await grantAdminScope(admin, holder.id, 'admin:rate_limit');
  const patch = (group: string, body: object) => holder.client.patch(`${limits}/groups/${group}/api.read`, { body });
  const put = (kind: string, id: string) =>
    holder.client.put(`${overrides}/${kind}/${id}/api.read`, { body: { requests_per_window: 1 } });

  await t.test('widens the budget of the group admin, and does not narrow it: 403', async (t) => {
    isError(t, await patch(groups.admin, { requests_per_window: 1 }), 403, 'forbidden');
    isError(t, await patch(groups.admin, { enabled: false }), 403, 'forbidden');
    t.equal((await patch(groups.admin, { requests_per_window: 13_000 })).status, 200);
    isError(t, await holder.client.post(`${limits}/groups/${groups.admin}/api.read/reset`), 403, 'forbidden');
    t.match(members(await admin.get('/api/v1/user')), { 'x-ratelimit-limit': '13000' });
    t.equal((await patch(groups.general, { requests_per_window: 2999 })).status, 200);
  });

  await t.test('sets no override for an instance administrator or their token: 403', async (t) => {
    const token = await admin.post('/api/v1/user/tokens', { body: { name: 'x', scopes: [] } });
    isError(t, await put('users', adminId), 403, 'forbidden');
    isError(t, await put('tokens', (token.body as { readonly id: string }).id), 403, 'forbidden');
    t.equal((await put('users', holder.id)).status, 200);
    t.equal((await holder.client.delete(`${overrides}/users/${holder.id}/api.read`)).status, 204);
    t.equal((await override('users', adminId, 'api.write', { requests_per_window: 2000 })).status, 200);
  });

  await t.test('sets an override for a repository, which does not apply to instance administrators', async (t) => {
    const made = await admin.post('/api/v1/repos', { body: { name: 'hot', visibility: 'public' } });
    t.equal((await put('repos', (made.body as { readonly id: string }).id)).status, 200);
    const path = '/api/v1/repos/admin/hot';
    t.match(members(await forge.anonymous.get(path)), { 'x-ratelimit-limit': '1' });
    t.match(members(await admin.get(path)), { 'x-ratelimit-limit': '13000' });
  });

  await t.test('does not narrow a group that is the best one of an instance administrator: 403', async (t) => {
    const team = await admin.post('/api/v1/admin/user-groups', { body: { name: 'Fast' } });
    const { id: fast } = team.body as { readonly id: string };
    t.equal((await patch(fast, { requests_per_window: 50_000 })).status, 200);
    t.equal((await patch(fast, { requests_per_window: 40_000 })).status, 200, 'no administrator is a member');
    await admin.post(`/api/v1/admin/user-groups/${fast}/members`, { body: { user_id: adminId } });
    isError(t, await patch(fast, { requests_per_window: 30_000 }), 403, 'forbidden');
    isError(t, await patch(fast, { action: 'disabled' }), 403, 'forbidden');
    isError(t, await holder.client.post(`${limits}/groups/${fast}/api.read/reset`), 403, 'forbidden');
    t.equal((await patch(fast, { requests_per_window: 45_000 })).status, 200, 'wider is allowed');
    t.match(members(await admin.get('/api/v1/user')), { 'x-ratelimit-limit': '45000' });
    t.equal((await admin.delete(`/api/v1/admin/user-groups/${fast}`)).status, 204);
  });

  await t.test('does not narrow the group general where it is the best one of instance administrators', async (t) => {
    t.equal((await patch(groups.general, { requests_per_window: 60_000 })).status, 200);
    isError(t, await patch(groups.general, { requests_per_window: 59_999 }), 403, 'forbidden');
    const reset = () => holder.client.post(`${limits}/groups/${groups.general}/api.read/reset`);
    isError(t, await reset(), 403, 'forbidden');
    t.equal((await admin.post(`${limits}/groups/${groups.general}/api.read/reset`)).status, 200);
  });

  await t.test('does not close what a sign-in needs before it: 403', async (t) => {
    const close = (scope: string, body: object) =>
      holder.client.patch(`${limits}/groups/${groups.anonymous}/${scope}`, { body });
    isError(t, await close('api.write', { requests_per_window: 0 }), 403, 'forbidden');
    isError(t, await close('api.write', { window_seconds: 86_400 }), 403, 'forbidden');
    isError(t, await close('api.read', { requests_per_window: 29 }), 403, 'forbidden');
    t.equal((await close('api.read', { requests_per_window: 30 })).status, 200);
    t.equal((await close('api.expensive', { requests_per_window: 0 })).status, 200);
    const closed = await admin.patch(`${limits}/groups/${groups.anonymous}/api.write`, {
      body: { requests_per_window: 5 },
    });
    t.equal(closed.status, 200, 'an instance administrator may');
    t.equal((await close('api.write', { requests_per_window: 6 })).status, 200, 'wider is allowed');
  });
});
