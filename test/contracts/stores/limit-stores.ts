// Contract checks for the stores of rate limits, run on every engine.
import assert from 'node:assert/strict';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { BudgetStore, Override, OverrideStore, StoredBudget, Violation, ViolationStore } from '#core/limits/index';
import type { Check } from '../checks.ts';

export interface LimitStores {
  readonly budgets: BudgetStore;
  readonly overrides: OverrideStore;
  readonly violations: ViolationStore;
  readonly unitOfWork: UnitOfWork;
}

const uuid = (number: number): string => `00000000-0000-4000-8007-${String(number).padStart(12, '0')}`;
const at = (second: number): Date => new Date(Date.UTC(2030, 0, 1, 0, 0, second, 123));
const rule = { requestsPerWindow: 5, windowSeconds: 60, burst: 1, action: 'throttle', enabled: true } as const;
const budget = (group: number, scope: StoredBudget['scope'] = 'api.read', more: Partial<StoredBudget> = {}) => ({
  ...rule,
  groupId: uuid(group),
  scope,
  ...more,
});
const override = (target: number, second = 0, more: Partial<Override> = {}): Override => ({
  ...rule,
  kind: 'users',
  targetId: uuid(target),
  scope: 'api.read',
  reason: 'why',
  byAdmin: false,
  updatedAt: at(second),
  ...more,
});
const violation = (number: number, second: number, more: Partial<Violation> = {}): Violation => ({
  id: uuid(number),
  at: at(second),
  subject: `user:${number}`,
  scope: 'api.write',
  limit: 600,
  path: '/api/v1/repos',
  method: 'POST',
  ip: '192.0.2.1',
  windowStart: at(0),
  ...more,
});
const ids = (violations: readonly Violation[]): string[] => violations.map(({ id }) => id);

export const limitStoreChecks: readonly Check<LimitStores>[] = [
  {
    name: 'a budget replaces the previous one, is removed once, and is removed with its group',
    async run({ budgets, unitOfWork }) {
      const remove = () => unitOfWork.run(() => budgets.remove(uuid(1), 'api.read'));
      assert.deepEqual(await budgets.all(), []);
      await unitOfWork.run(async () => {
        await budgets.hold();
        await budgets.put(budget(1));
        await budgets.put(budget(1, 'api.write'));
        await budgets.put(budget(2));
      });
      await unitOfWork.run(() =>
        budgets.put(budget(1, 'api.read', { requestsPerWindow: 9, action: 'allow', enabled: false })),
      );
      const all = await budgets.all();
      assert.equal(all.length, 3);
      assert.deepEqual(
        all.find(({ groupId, scope }) => groupId === uuid(1) && scope === 'api.read'),
        budget(1, 'api.read', { requestsPerWindow: 9, action: 'allow', enabled: false }),
      );
      assert.deepEqual([await remove(), await remove()], [true, false]);
      await unitOfWork.run(() => budgets.removeGroup(uuid(1)));
      assert.deepEqual(await budgets.all(), [budget(2)]);
    },
  },
  {
    name: 'an override is stored, read, listed by kind with the last changed first, and removed',
    async run({ overrides, unitOfWork }) {
      const all = [
        override(1, 1),
        override(1, 3, { scope: 'api.write' }),
        override(2, 2),
        override(1, 4, { kind: 'repos' }),
      ];
      await unitOfWork.run(async () => {
        for (const one of all) await overrides.put(one);
      });
      assert.equal(await overrides.count(), 4);
      assert.equal((await overrides.all()).length, 4);
      assert.deepEqual(await overrides.get(override(2)), override(2, 2));
      assert.equal(await overrides.get(override(3)), undefined);
      assert.deepEqual(await overrides.list('users', { limit: 2, offset: 0 }), {
        overrides: [all[1], all[2]],
        total: 3,
      });
      assert.deepEqual(await overrides.list('users', { limit: 2, offset: 2 }), { overrides: [all[0]], total: 3 });
      await unitOfWork.run(() => overrides.put(override(1, 5, { reason: '', burst: 0 })));
      assert.deepEqual(await overrides.get(override(1)), override(1, 5, { reason: '', burst: 0 }));
      assert.equal(await overrides.count(), 4);
      const remove = () => unitOfWork.run(() => overrides.remove(override(2)));
      assert.deepEqual([await remove(), await remove()], [true, false]);
      await unitOfWork.run(() => overrides.removeTargets('users', [uuid(1), uuid(9)]));
      assert.deepEqual(await overrides.all(), [all[3]]);
    },
  },
  {
    name: 'of violations with one subject, scope and window the first is kept, also of twenty concurrent ones',
    async run({ violations, unitOfWork }) {
      const add = (...some: readonly Violation[]) => unitOfWork.run(() => violations.add(some));
      await add();
      await add(
        violation(1, 1),
        violation(2, 1, { subject: 'user:1' }),
        violation(3, 1, { subject: 'user:1', windowStart: at(60) }),
      );
      await add(violation(4, 2, { subject: 'user:1' }), violation(5, 2, { subject: 'user:1', scope: 'api.read' }));
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => add(violation(10 + index, 9, { subject: 'address:192.0.2.0' }))),
      );
      const { violations: all, total } = await violations.list({ limit: 10, offset: 0 });
      assert.equal(total, 4);
      assert.equal(all[0]?.subject, 'address:192.0.2.0');
      assert.deepEqual(all.slice(1), [
        violation(5, 2, { subject: 'user:1', scope: 'api.read' }),
        violation(3, 1, { subject: 'user:1', windowStart: at(60) }),
        violation(1, 1),
      ]);
    },
  },
  {
    name: 'violations are read newest first, by page or by cursor, and pruned by age and number',
    async run({ violations, unitOfWork }) {
      // Three at the same time, so that their order matters.
      const all = [violation(1, 1), violation(2, 2), violation(3, 2), violation(4, 2), violation(5, 3)];
      await unitOfWork.run(() => violations.add(all));
      assert.deepEqual(ids((await violations.list({ limit: 2, offset: 1 })).violations), [uuid(4), uuid(3)]);
      const read: string[] = [];
      let last: Violation | undefined;
      for (;;) {
        const some = await violations.after(last, 2);
        read.push(...ids(some));
        last = some.at(-1);
        if (some.length < 2) break;
      }
      assert.deepEqual(read, [5, 4, 3, 2, 1].map(uuid));
      await unitOfWork.run(() => violations.prune(at(2), 10));
      assert.deepEqual(ids(await violations.after(undefined, 10)), [5, 4, 3, 2].map(uuid));
      await unitOfWork.run(() => violations.prune(at(0), 3));
      assert.deepEqual(ids(await violations.after(undefined, 10)), [5, 4, 3].map(uuid));
    },
  },
];
