// Tests of the administration of rate limits and their groups.
import t from 'tap';
import { aDay, asked, groups, isError, limits, members, nobody, startMetered, type Rule } from './world.ts';

const scopes = ['api.read', 'api.write', 'api.expensive', 'mcp.tool_call'];

void t.test('/admin/rate-limits', async (t) => {
  const { forge, admin, patch, reset } = await startMetered(t);
  const ada = await forge.createUser('ada');
  /** After the events of changed groups, by which the budgets that are kept are forgotten. */
  const headers = async (client = ada.client) => {
    await forge.forge.drained();
    return members(await client.get('/api/v1/user'));
  };
  const general = `${limits}/groups/${groups.general}`;

  await t.test('GET: 200 with the matrix of groups and scopes and their default budgets', async (t) => {
    const { status, body } = await admin.get(limits);
    t.equal(status, 200);
    const { groups: all, total } = body as {
      groups: { slug: string; group_id: string; rules: Rule[] }[];
      total: number;
    };
    t.equal(total, 3);
    t.strictSame(
      all.map(({ slug, group_id: id }) => [slug, id]),
      Object.entries(groups),
    );
    for (const { rules } of all)
      t.strictSame(
        rules.map(({ scope }) => scope),
        scopes,
      );
    t.strictSame(
      all.map(({ rules }) => rules.map((rule) => rule.requests_per_window)),
      [
        [300, 30, 30, 0],
        [3000, 600, 120, 600],
        [12000, 3000, 600, 3000],
      ],
    );
    t.strictSame(all[1]?.rules[0], {
      scope: 'api.read',
      requests_per_window: 3000,
      window_seconds: 60,
      burst: 0,
      action: 'throttle',
      enabled: true,
      is_default: true,
    });
  });

  await t.test('GET a group: 200 with its rules; 400 for a malformed id, 404 for an unknown one', async (t) => {
    const answer = await admin.get(general);
    t.match(answer, { status: 200, body: { group_id: groups.general, slug: 'general', name: 'General' } });
    t.equal((answer.body as { rules: Rule[] }).rules.length, 4);
    isError(t, await admin.get(`${limits}/groups/general`), 400, 'validation_failed');
    isError(t, await admin.get(`${limits}/groups/${nobody}`), 404, 'not_found');
  });

  await t.test(
    'PATCH: 200 with the rule, which applies at once and adds its burst to the budget; reset: 200 with the default',
    async (t) => {
      t.match(await headers(), { 'x-ratelimit-limit': '3000', 'x-ratelimit-resource': 'api.read' });
      const changed = await patch(groups.general, 'api.read', {
        requests_per_window: 2,
        window_seconds: aDay,
        burst: 1,
        notes: 'too much at night',
      });
      t.strictSame(
        [changed.status, changed.body],
        [
          200,
          {
            scope: 'api.read',
            requests_per_window: 2,
            window_seconds: aDay,
            burst: 1,
            action: 'throttle',
            enabled: true,
            is_default: false,
          },
        ],
      );
      t.strictSame(await asked(ada.client, 4), [200, 200, 200, 429]);
      const refused = await ada.client.get('/api/v1/user');
      isError(t, refused, 429, 'rate_limited');
      t.match(members(refused), { 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
      t.ok(Number(refused.headers.get('retry-after')) > 0);
      t.match(await headers(admin), { 'x-ratelimit-limit': '12000' }, 'the administrator has the higher budget');

      const put = await reset(groups.general, 'api.read');
      t.match(put, {
        status: 200,
        body: { requests_per_window: 3000, window_seconds: 60, burst: 0, is_default: true },
      });
      t.equal((await reset(groups.general, 'api.read')).status, 200, 'and again');
      t.match(await headers(), { 'x-ratelimit-limit': '3000' });
    },
  );

  await t.test('`allow`, `disabled` and a rule that is not enabled refuse no request', async (t) => {
    for (const rule of [{ action: 'allow' }, { action: 'disabled' }, { enabled: false }]) {
      await patch(groups.general, 'api.read', { requests_per_window: 0, ...rule });
      const answer = await ada.client.get('/api/v1/user');
      t.equal(answer.status, 200, JSON.stringify(rule));
      t.notOk(answer.headers.has('x-ratelimit-limit'));
      await reset(groups.general, 'api.read');
    }
  });

  await t.test('a user in several groups has the highest budget, and a change of groups applies at once', async (t) => {
    const make = async (body: object) =>
      ((await admin.post('/api/v1/admin/user-groups', { body })).body as { id: string }).id;
    const staff = await make({ name: 'Staff' });
    const join = () => admin.post(`/api/v1/admin/user-groups/${staff}/members`, { body: { user_id: ada.id } });
    await join();
    t.match(await headers(), { 'x-ratelimit-limit': '3000' }, 'by default the budget of all users');
    await patch(staff, 'api.read', { requests_per_window: 5000 });
    t.match(await headers(), { 'x-ratelimit-limit': '5000' });
    await patch(staff, 'api.read', { requests_per_window: 10 });
    t.match(await headers(), { 'x-ratelimit-limit': '3000' });
    await patch(staff, 'api.read', { requests_per_window: 7000 });
    await admin.delete(`/api/v1/admin/user-groups/${staff}/members/${ada.id}`);
    t.match(await headers(), { 'x-ratelimit-limit': '3000' });

    const keepers = await make({ name: 'Keepers', role: 'instance_admin', grant_admin: true });
    await admin.post(`/api/v1/admin/user-groups/${keepers}/members`, { body: { user_id: ada.id } });
    t.match(await headers(), { 'x-ratelimit-limit': '12000' }, 'instance_admin has the budgets of administrators');
    t.equal(((await admin.get(limits)).body as { total: number }).total, 5);
    for (const id of [staff, keepers]) await admin.delete(`/api/v1/admin/user-groups/${id}`);
    t.match(await headers(), { 'x-ratelimit-limit': '3000' });
  });

  await t.test('PATCH: 400 for an invalid rule, 404 for an unknown group or scope; nothing changes', async (t) => {
    for (const body of [
      { requests_per_window: -1 },
      { requests_per_window: 1.5 },
      { requests_per_window: '5' },
      { requests_per_window: 1_000_001 },
      { window_seconds: 0 },
      { window_seconds: 86_401 },
      { burst: -1 },
      { action: 'refuse' },
      { enabled: 'yes' },
      { notes: 7 },
    ])
      isError(t, await patch(groups.general, 'api.read', body), 400, 'validation_failed', JSON.stringify(body));
    isError(t, await patch(groups.general, 'api.read', { limit: 5 }), 400, 'unknown_field');
    isError(t, await patch('general', 'api.read', {}), 400, 'validation_failed');
    isError(t, await patch(nobody, 'api.read', { burst: 1 }), 404, 'not_found');
    for (const scope of ['api.reed', 'none', '__proto__']) {
      isError(t, await patch(groups.general, scope, { burst: 1 }), 404, 'not_found');
      isError(t, await reset(groups.general, scope), 404, 'not_found');
    }
    isError(t, await reset(nobody, 'api.read'), 404, 'not_found');
    isError(t, await reset('x', 'api.read'), 400, 'validation_failed');
    t.match(await headers(), { 'x-ratelimit-limit': '3000' });
  });

  await t.test('a change is audited with its note; a PATCH without a change is not', async (t) => {
    const log = async () =>
      ((await admin.get('/api/v1/admin/audit-log?action=rate_limit')).body as { entries: { action: string }[] })
        .entries;
    const before = (await log()).length;
    await patch(groups.admin, 'api.expensive', { requests_per_window: 600, notes: 'as it is' });
    t.equal((await log()).length, before);
    await patch(groups.admin, 'api.expensive', { burst: 5, notes: 'a test' });
    await reset(groups.admin, 'api.expensive');
    const [second, first] = await log();
    t.match(first, {
      action: 'rate_limit.updated',
      resource: `user_group:${groups.admin}`,
      details: { slug: 'admin', scope: 'api.expensive', notes: 'a test', from: { burst: 0 }, to: { burst: 5 } },
    });
    t.match(second, { action: 'rate_limit.reset', details: { from: { burst: 5 } } });
  });

  await t.test('401 for anonymous callers, 403 without the admin scope, also for malformed requests', async (t) => {
    const paths = [limits, `${limits}/groups/x`, `${limits}/violations`, `${limits}/violations.csv`];
    for (const path of [...paths, `${limits}/overrides/x`]) {
      isError(t, await forge.anonymous.get(path), 401, 'unauthorized', path);
      const refused = await ada.client.get(path);
      t.strictSame(
        [refused.status, refused.body],
        [403, { error: 'admin scope required: admin:rate_limit', error_code: 'forbidden' }],
      );
    }
    isError(t, await ada.client.patch(`${general}/api.read`, { body: {} }), 403, 'forbidden');
    isError(t, await ada.client.post(`${general}/api.read/reset`), 403, 'forbidden');
    const token = await forge.pat(admin, ['repo:read']);
    isError(t, await token.get(limits), 403, 'insufficient_scope');
    await admin.post(`/api/v1/admin/users/${ada.id}/admin-scopes`, { body: { scope: 'admin:rate_limit' } });
    t.equal((await ada.client.get(limits)).status, 200);
  });
});
