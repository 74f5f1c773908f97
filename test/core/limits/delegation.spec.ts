// Holders of the admin scope admin:rate_limit cannot narrow the budgets of instance administrators.
import t from 'tap';
import { seededGroups } from '#core/identity/index';
import { narrows, type RateRule } from '#core/limits/index';
import { ada, hot, staff, world } from './world.ts';

const rule: RateRule = { requestsPerWindow: 100, windowSeconds: 60, burst: 10, action: 'throttle', enabled: true };

void t.test('a rule is narrower if it allows fewer requests, or has a longer window, or is switched', (t) => {
  const table: readonly (readonly [Partial<RateRule>, Partial<RateRule>, boolean])[] = [
    [{}, {}, false],
    [{}, { requestsPerWindow: 99 }, true],
    [{}, { requestsPerWindow: 101 }, false],
    [{}, { burst: 9 }, true],
    [{}, { requestsPerWindow: 90, burst: 20 }, false],
    [{}, { windowSeconds: 61 }, true],
    [{}, { windowSeconds: 30 }, false],
    [{}, { requestsPerWindow: 50, windowSeconds: 1 }, true],
    [{}, { action: 'allow' }, false],
    [{}, { action: 'disabled' }, true],
    [{}, { enabled: false }, true],
    [{ enabled: false }, {}, true],
    [{ enabled: false }, { action: 'disabled' }, false],
    [{ action: 'allow' }, {}, true],
    [{ action: 'allow' }, { action: 'allow', requestsPerWindow: 1 }, false],
  ];
  for (const [before, after, expected] of table)
    t.equal(narrows({ ...rule, ...before }, { ...rule, ...after }), expected, JSON.stringify([before, after]));
  t.end();
});

void t.test('the budgets of the group admin', async (t) => {
  const { budgets, delegate, call, rateBudgets, forgetRules } = world();
  const update = (by: typeof call, groupId: string, requestsPerWindow: number) =>
    budgets.update(by, { groupId, scope: 'api.read', requestsPerWindow });
  const limit = async () => {
    forgetRules();
    return (await rateBudgets.budget('api.read', { userId: ada, isAdmin: true }))?.limit;
  };
  const refused = { name: 'Forbidden' };
  await t.rejects(update(delegate(), seededGroups.admin, 11_999), refused);
  await t.rejects(
    budgets.update(delegate(), { groupId: seededGroups.admin, scope: 'api.read', enabled: false }),
    refused,
  );
  t.equal(await limit(), 12_000);
  await update(delegate(), seededGroups.admin, 20_000);
  t.equal(await limit(), 20_000);
  await t.rejects(budgets.reset(delegate(), { groupId: seededGroups.admin, scope: 'api.read' }), refused, 'a reset');
  t.equal(await limit(), 20_000, 'the refused reset is rolled back');
  await update(call, seededGroups.admin, 5);
  await budgets.reset(delegate(), { groupId: seededGroups.admin, scope: 'api.read' });
  t.equal(await limit(), 12_000);
  for (const group of [seededGroups.general, staff]) await update(delegate(), group, 1);
  await t.rejects(update(delegate(), seededGroups.anonymous, 29), refused, 'what administrators need to sign in');
  await update(delegate(), seededGroups.anonymous, 30);
  t.equal(await limit(), 12_000, 'the budgets of other groups');
});

void t.test('overrides', async (t) => {
  const { overrides, delegate, call, administrators, rateBudgets, forgetRules } = world();
  const one = {
    requestsPerWindow: 1,
    windowSeconds: 60,
    burst: 0,
    action: 'throttle',
    enabled: true,
    reason: '',
  } as const;
  const set = (by: typeof call, kind: string, targetId: string) =>
    overrides.set(by, { kind, targetId, scope: 'api.read', ...one });
  const limits = async () => {
    forgetRules();
    const ofUser = async (isAdmin: boolean) => (await rateBudgets.budget('api.read', { userId: ada, isAdmin }))?.limit;
    const inRepository = async (isAdmin: boolean) =>
      (await rateBudgets.narrowed?.('api.read', { kind: 'repos', id: hot }, { isAdmin }))?.limit;
    return [await ofUser(false), await ofUser(true), await inRepository(false), await inRepository(true)];
  };
  await set(delegate(), 'users', ada);
  await set(delegate(), 'repos', hot);
  t.strictSame(await limits(), [1, 12_000, 1, undefined], 'set by others, they do not apply to administrators');
  administrators.add(ada);
  await t.rejects(set(delegate(), 'users', ada), { name: 'Forbidden' });
  await set(call, 'users', ada);
  await set(call, 'repos', hot);
  t.strictSame(await limits(), [1, 1, 1, 1], 'set by an administrator, they do');
});
