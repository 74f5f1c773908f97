// Contract checks for the stores of the instance administration, run on every engine.
import assert from 'node:assert/strict';
import type { AdminGrantStore, AdminScopeGrant, KnownPluginStore } from '#core/administration/index';
import type { AccountStore } from '#core/identity/index';
import { Conflict } from '#core/kernel/errors';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { addAccount } from '#test/support/clients/accounts';
import type { Check } from '../checks.ts';

export interface AdministrationStores {
  readonly accounts: AccountStore;
  readonly grants: AdminGrantStore;
  readonly plugins: KnownPluginStore;
  readonly unitOfWork: UnitOfWork;
}

const uuid = (number: number): string => `00000000-0000-4000-8005-${String(number).padStart(12, '0')}`;
const grant = (user: number, scope: AdminScopeGrant['scope'], second = 0): AdminScopeGrant => ({
  userId: uuid(user),
  scope,
  grantedBy: uuid(99),
  createdAt: new Date(Date.UTC(2030, 0, 1, 0, 0, second, 123)),
});

export const administrationStoreChecks: readonly Check<AdministrationStores>[] = [
  {
    name: 'a grant is added once, is not changed by a second addition, and is removed once',
    async run({ accounts, grants, unitOfWork }) {
      await unitOfWork.run(() => addAccount(accounts, { id: uuid(1), username: 'ada' }));
      const add = (one: AdminScopeGrant) => unitOfWork.run(() => grants.add(one));
      assert.equal(await add(grant(1, 'admin:users')), true);
      assert.equal(await add(grant(1, 'admin:users', 5)), false);
      assert.equal(await add(grant(1, 'admin:roles')), true);
      assert.deepEqual(await grants.ofUser(uuid(1)), [grant(1, 'admin:roles'), grant(1, 'admin:users')]);
      const remove = () => unitOfWork.run(() => grants.remove(uuid(1), 'admin:users'));
      assert.deepEqual([await remove(), await remove()], [true, false]);
      assert.deepEqual(await grants.ofUser(uuid(1)), [grant(1, 'admin:roles')]);
      assert.deepEqual(await grants.ofUser(uuid(2)), []);
    },
  },
  {
    name: 'of twenty concurrent grants of one scope exactly one is added',
    async run({ accounts, grants, unitOfWork }) {
      await unitOfWork.run(() => addAccount(accounts, { id: uuid(1), username: 'ada' }));
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, index) => unitOfWork.run(() => grants.add(grant(1, 'admin:users', index)))),
      );
      assert.equal(added.filter(Boolean).length, 1);
    },
  },
  {
    name: 'the holders of a scope are listed oldest first, in pages, and are removed with their account',
    async run({ accounts, grants, unitOfWork }) {
      for (const number of [1, 2, 3])
        await unitOfWork.run(async () => {
          await addAccount(accounts, { id: uuid(number), username: `user-${number}` });
          await grants.add(grant(number, 'admin:system', 10 - number));
          await grants.add(grant(number, 'admin:users'));
        });
      const holders = async (limit: number, offset: number) => {
        const { grants: found, total } = await grants.ofScope('admin:system', { limit, offset });
        return [found.map(({ userId }) => userId), total];
      };
      assert.deepEqual(await holders(10, 0), [[uuid(3), uuid(2), uuid(1)], 3]);
      assert.deepEqual(await holders(1, 1), [[uuid(2)], 3]);
      const page = async (filter: Parameters<typeof grants.page>[0]) => {
        const { items, total } = await grants.page(filter, { page: 1, perPage: 2 });
        return [items.map(({ userId }) => userId), total];
      };
      assert.deepEqual(await page({ scope: 'admin:system' }), [[uuid(1), uuid(2)], 3], 'the newest first');
      assert.deepEqual(await page({ scope: 'admin:system', userId: uuid(3) }), [[uuid(3)], 1]);
      await unitOfWork.run(() => accounts.delete(uuid(2)));
      assert.deepEqual(await holders(10, 0), [[uuid(3), uuid(1)], 2]);
    },
  },
  {
    name: 'granting a scope to an unknown user is a Conflict',
    async run({ grants, unitOfWork }) {
      await assert.rejects(
        unitOfWork.run(() => grants.add(grant(77, 'admin:users'))),
        Conflict,
      );
    },
  },
  {
    name: 'known plugins are added and removed, and a rollback undoes both',
    async run({ plugins, unitOfWork }) {
      assert.deepEqual(await plugins.all(), []);
      await unitOfWork.run(() => plugins.change(['b', 'a'], []));
      await unitOfWork.run(() => plugins.change(['c', 'a'], ['b', 'unknown']));
      assert.deepEqual(await plugins.all(), ['a', 'c']);
      const failing = unitOfWork.run(async () => {
        await plugins.change(['d'], ['a']);
        throw new Error('no');
      });
      await assert.rejects(failing, { message: 'no' });
      assert.deepEqual(await plugins.all(), ['a', 'c']);
    },
  },
];
