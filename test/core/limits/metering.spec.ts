// Which budget applies to which caller, and how often the stores are read.
import t from 'tap';
import { seededGroups } from '#core/identity/index';
import { ada, staff, world } from './world.ts';

const anonymous = { isAdmin: false };
const general = { userId: ada, isAdmin: false };
const admin = { userId: ada, isAdmin: true };
const scopes = ['api.read', 'api.write', 'api.expensive', 'mcp.tool_call'] as const;

void t.test('the default budgets per role, in fixed windows of 60 s', async (t) => {
  const { rateBudgets } = world();
  for (const [caller, limits] of [
    [anonymous, [300, 30, 30, 0]],
    [general, [3000, 600, 120, 600]],
    [admin, [12000, 3000, 600, 3000]],
  ] as const)
    for (const [index, scope] of scopes.entries())
      t.strictSame(await rateBudgets.budget(scope, caller), {
        limit: limits[index],
        windowSeconds: 60,
        window: 'fixed',
      });
});

void t.test('disabled limits apply to nobody', async (t) => {
  const { rateBudgets } = world({ enabled: false });
  t.equal(await rateBudgets.budget('api.read', anonymous), undefined);
  t.equal(await rateBudgets.narrowed?.('api.read', { kind: 'repos', id: ada }), undefined);
});

void t.test(
  'metering does not read the stores per request: rules are cached for a second, groups for ten',
  async (t) => {
    const { rateBudgets, counts, clock } = world();
    for (let request = 0; request < 100; request += 1) await rateBudgets.budget('api.read', general);
    t.strictSame([counts.reads, counts.groups], [1, 1]);
    clock.advance(1000);
    await Promise.all(Array.from({ length: 100 }, () => rateBudgets.budget('api.read', general)));
    t.strictSame([counts.reads, counts.groups], [2, 1]);
    clock.advance(10_000);
    await rateBudgets.budget('api.read', general);
    t.strictSame([counts.reads, counts.groups], [3, 2]);
  },
);

void t.test('changes by another process apply after its event, and at the latest after a second', async (t) => {
  const mine = world();
  const other = world({ memory: mine.memory });
  const limit = async () => (await mine.rateBudgets.budget('api.read', general))?.limit;
  const set = (requestsPerWindow: number) =>
    other.budgets.update(other.call, { groupId: seededGroups.general, scope: 'api.read', requestsPerWindow });
  t.equal(await limit(), 3000);
  await set(5);
  t.equal(await limit(), 3000);
  mine.forgetRules();
  t.equal(await limit(), 5);
  await set(6);
  mine.clock.advance(1000);
  t.equal(await limit(), 6);
});

void t.test(
  'of several groups the highest budget applies; a disabled rule does not, and `allow` is the highest',
  async (t) => {
    const { rateBudgets, budgets, membership, staffed, forgetGroups, call } = world();
    const limit = async () => (await rateBudgets.budget('api.read', general))?.limit;
    const set = (groupId: string, change: object) => budgets.update(call, { groupId, scope: 'api.read', ...change });
    await set(staff, { requestsPerWindow: 100, windowSeconds: 1 });
    t.equal(await limit(), 3000);
    membership.of = staffed;
    t.equal(await limit(), 3000, 'not yet invalidated');
    forgetGroups(ada);
    t.equal(await limit(), 100, 'the highest per time');
    await set(staff, { action: 'disabled' });
    t.equal(await limit(), 3000);
    await set(staff, { action: 'allow' });
    t.equal(await limit(), undefined);
    await set(staff, { action: 'throttle', requestsPerWindow: 1 });
    await set(seededGroups.general, { enabled: false });
    t.equal(await limit(), 1);
  },
);

void t.test('without a store of groups the budgets follow from the account', async (t) => {
  const { rateBudgets, budgets, call } = world({ withoutGroups: true });
  t.match(await rateBudgets.budget('api.read', admin), { limit: 12000 });
  await t.rejects(budgets.matrix(call), { name: 'Unavailable' });
});

void t.test('an override narrows, also if the group is narrowed below it', async (t) => {
  const { rateBudgets, budgets, overrides, call } = world();
  const limit = async () => (await rateBudgets.budget('api.read', general))?.limit;
  const rule = { windowSeconds: 60, burst: 0, action: 'throttle', enabled: true, reason: '' } as const;
  const key = { kind: 'users', targetId: ada, scope: 'api.read' } as const;
  await overrides.set(call, { ...key, ...rule, requestsPerWindow: 50 });
  t.equal(await limit(), 50);
  await budgets.update(call, { groupId: seededGroups.general, scope: 'api.read', requestsPerWindow: 20 });
  t.equal(await limit(), 20);
  await t.rejects(overrides.set(call, { ...key, ...rule, requestsPerWindow: 21 }), { name: 'Unprocessable' });
  await t.resolves(overrides.set(call, { ...key, ...rule, requestsPerWindow: 21, enabled: false }));
  t.equal(await limit(), 20);
});

void t.test(
  'while the stores cannot be read the cached rules apply; without cached rules the error is thrown',
  async (t) => {
    const { rateBudgets, state, clock, counts } = world();
    state.broken = true;
    await t.rejects(rateBudgets.budget('api.read', general), { message: 'out of order' });
    state.broken = false;
    t.match(await rateBudgets.budget('api.read', general), { limit: 3000 });
    state.broken = true;
    clock.advance(1000);
    t.match(await rateBudgets.budget('api.read', general), { limit: 3000 });
    const { reads } = counts;
    await rateBudgets.budget('api.read', general);
    t.equal(counts.reads, reads + 1, 'the next request reads again');
  },
);
