// Contract checks for the store of external identities, run on every engine.
import assert from 'node:assert/strict';
import type { AccountStore, ExternalIdentity, ExternalIdentityStore } from '#core/identity/index';
import { Duplicate } from '#core/kernel/errors';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { addAccount } from '#test/support/clients/accounts';
import type { Check } from '../../checks.ts';

export interface ExternalIdentityStoreUnderTest {
  readonly accounts: AccountStore;
  readonly identities: ExternalIdentityStore;
  readonly unitOfWork: UnitOfWork;
}

const uuid = (number: number): string => `00000000-0000-4000-8005-${String(number).padStart(12, '0')}`;
const at = (seconds: number): Date => new Date(Date.UTC(2030, 0, 1, 0, 0, seconds, 123));

const identity = (number: number, userId: string, over: Partial<ExternalIdentity> = {}): ExternalIdentity => ({
  id: uuid(number),
  userId,
  provider: 'ldap',
  subject: `subject ${number} — ü`,
  hint: `hint ${number}`,
  createdAt: at(number),
  ...over,
});

/** Two accounts, by their ids. */
const people = async ({ accounts, unitOfWork }: ExternalIdentityStoreUnderTest): Promise<readonly [string, string]> =>
  unitOfWork.run(async () => [
    await addAccount(accounts, { id: uuid(101), username: 'ada' }),
    await addAccount(accounts, { id: uuid(102), username: 'eve' }),
  ]);

const duplicate = (constraint: string) => (error: unknown) =>
  error instanceof Duplicate && error.constraint === constraint;

export const externalIdentityChecks: readonly Check<ExternalIdentityStoreUnderTest>[] = [
  {
    name: 'an identity is found by its key, and listed for its user only, oldest first',
    async run(stores) {
      const [ada, eve] = await people(stores);
      const { identities, unitOfWork } = stores;
      const all = [identity(3, ada), identity(1, ada), identity(2, eve), identity(0, ada, { createdAt: at(3) })];
      await unitOfWork.run(async () => {
        for (const one of all) await identities.insert(one, `key ${one.id}`);
      });
      assert.deepEqual(await identities.byKey(`key ${uuid(2)}`), all[2]);
      assert.equal(await identities.byKey('key'), undefined);
      assert.deepEqual(await identities.ofUser(ada), [all[1], all[3], all[0]]);
      assert.deepEqual(await identities.ofUser(uuid(9)), []);
    },
  },
  {
    name: 'a key belongs to one account, also if two insert it at the same time',
    async run(stores) {
      const ids = await people(stores);
      const { identities, unitOfWork } = stores;
      const ends = await Promise.allSettled(
        ids.map((id, index) => unitOfWork.run(() => identities.insert(identity(index, id), 'same'))),
      );
      const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
      assert.equal(failed.length, 1);
      assert.ok(duplicate('identity_external_key')(failed[0]), String(failed[0]));
    },
  },
  {
    name: 'an identity is deleted by its owner only, or with the account',
    async run(stores) {
      const [ada, eve] = await people(stores);
      const { accounts, identities, unitOfWork } = stores;
      const [one, other] = [identity(1, ada), identity(2, ada)];
      await unitOfWork.run(async () => {
        await identities.insert(one, '1');
        await identities.insert(other, '2');
      });
      assert.equal(await unitOfWork.run(() => identities.delete(eve, one.id)), undefined);
      assert.deepEqual(await unitOfWork.run(() => identities.delete(ada, one.id)), one);
      assert.equal(await unitOfWork.run(() => identities.delete(ada, one.id)), undefined);
      await unitOfWork.run(() => accounts.delete(ada));
      assert.equal(await identities.byKey('2'), undefined);
    },
  },
  {
    name: 'a hash is used once, also concurrently, until it is pruned',
    async run({ identities, unitOfWork }) {
      const use = (hash: string, expires = at(10)) => unitOfWork.run(() => identities.use(hash, expires));
      const ends = await Promise.allSettled([1, 2, 3, 4].map(() => use('h')));
      assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal(await identities.isUsed('h'), true);
      assert.equal(await identities.isUsed('other'), false);
      await assert.rejects(use('h', at(20)), duplicate('identity_used_answer_pkey'));
      await use('i', at(11));
      await use('j', at(12));
      const prune = (now: Date) => unitOfWork.run(() => identities.prune(now, 2));
      assert.deepEqual(
        [await prune(at(9)), await prune(at(12)), await prune(at(12)), await prune(at(12))],
        [0, 2, 1, 0],
      );
      assert.equal(await identities.isUsed('h'), false);
    },
  },
  {
    name: 'the account of the first start is known as such',
    async run(stores) {
      const [ada] = await people(stores);
      const { accounts, unitOfWork } = stores;
      const found = await accounts.byId(ada);
      assert.ok(found !== undefined);
      const root = { ...found, id: uuid(50), username: 'root', email: 'root@localhost' };
      await unitOfWork.run(() => accounts.insert(root, '', 'first administrator'));
      assert.deepEqual(
        [await accounts.isFirst(ada), await accounts.isFirst(root.id), await accounts.isFirst(uuid(51))],
        [false, true, false],
      );
    },
  },
];
