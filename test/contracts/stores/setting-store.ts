// Contract checks for SettingStore: texts by key, replaced as a whole, undone by a rollback, one writer at a time.
import assert from 'node:assert/strict';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { SettingStore, StoredSetting } from '#core/settings/index';
import { turn, type Check } from '../checks.ts';

export interface SettingStoreUnderTest {
  readonly store: SettingStore;
  readonly unitOfWork: UnitOfWork;
}

const setting = (over: Partial<StoredSetting> = {}): StoredSetting => ({
  key: 'shop.name',
  text: 'corner',
  sealed: false,
  updatedAt: new Date('2026-01-02T03:04:05.678Z'),
  ...over,
});
const sorted = async (store: SettingStore) => (await store.all()).toSorted((a, b) => (a.key < b.key ? -1 : 1));

export const settingStoreChecks: readonly Check<SettingStoreUnderTest>[] = [
  {
    name: 'settings of any text read back unchanged, and storing one again replaces it',
    async run({ store, unitOfWork }) {
      const odd = setting({ key: 'shop.sign', text: ' it\'s "odd",\n\u2028{so} \\ 🛒', sealed: true });
      await unitOfWork.run(async () => {
        await store.put(setting(), 'shop');
        await store.put(odd, 'shop');
      });
      assert.deepEqual(await sorted(store), [setting(), odd]);
      const again = setting({ text: '', sealed: true, updatedAt: new Date('2027-01-02T03:04:05.678Z') });
      await unitOfWork.run(() => store.put(again, 'shop'));
      assert.deepEqual(await sorted(store), [again, odd]);
    },
  },
  {
    name: 'a removed setting is gone, and removing it again does nothing',
    async run({ store, unitOfWork }) {
      const kept = setting({ key: 'shop.sign' });
      await unitOfWork.run(async () => {
        await store.put(setting(), 'shop');
        await store.put(kept, 'shop');
      });
      for (const _ of [1, 2]) {
        await unitOfWork.run(() => store.remove(setting().key));
        assert.deepEqual(await store.all(), [kept]);
      }
    },
  },
  {
    name: 'a rollback undoes stored settings',
    async run({ store, unitOfWork }) {
      await unitOfWork.run(() => store.put(setting(), 'shop'));
      const failing = unitOfWork.run(async () => {
        await store.put(setting({ text: 'other' }), 'shop');
        await store.put(setting({ key: 'shop.sign' }), 'shop');
        assert.equal((await store.all()).length, 2, 'the unit of work reads its own writes');
        throw new Error('no');
      });
      await assert.rejects(failing, { message: 'no' });
      assert.deepEqual(await store.all(), [setting()]);
    },
  },
  {
    name: 'twenty units of work that lock, read and write each read what the previous one wrote',
    async run({ store, unitOfWork }) {
      const seen: string[] = [];
      const add = (index: number) =>
        unitOfWork.run(async () => {
          await store.hold();
          const text = (await store.all())[0]?.text ?? '';
          seen.push(text);
          await turn();
          await store.put(setting({ text: `${text}${String.fromCodePoint(97 + index)}` }), 'shop');
        });
      await Promise.all(Array.from({ length: 20 }, (_, index) => add(index)));
      const [{ text } = setting()] = await store.all();
      assert.equal(text.length, 20);
      assert.deepEqual(
        seen,
        Array.from({ length: 20 }, (_, length) => text.slice(0, length)),
      );
    },
  },
];
