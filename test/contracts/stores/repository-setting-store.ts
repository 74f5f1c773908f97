// Contract checks for RepositorySettingStore: texts by repository and key, deleted with the repository.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { RepositorySettingStore, StoredRepositorySetting } from '#core/repositories/index';
import { turn, type Check } from '../checks.ts';
import type { ForgeUnderTest } from '../forge-under-test.ts';

export interface RepositorySettingStoreUnderTest extends ForgeUnderTest {
  readonly store: RepositorySettingStore;
}

interface Given extends Omit<RepositorySettingStoreUnderTest, 'addRepository'> {
  /** Adds a repository. @returns its id. */
  readonly addRepository: () => Promise<string>;
}

const setting = (repositoryId: string, over: Partial<StoredRepositorySetting> = {}): StoredRepositorySetting => ({
  repositoryId,
  key: 'bell.word',
  text: 'ding',
  updatedAt: new Date('2026-01-02T03:04:05.678Z'),
  ...over,
});

const checks: readonly Check<Given>[] = [
  {
    name: 'settings of any text read back unchanged by repository and key, and storing one again replaces it',
    async run({ store, unitOfWork, addRepository }) {
      const [one, other] = [await addRepository(), await addRepository()];
      const odd = ' it\'s "odd",\n\u2028{so} \\ 🛒';
      await unitOfWork.run(async () => {
        await store.put(setting(one), 'bell');
        await store.put(setting(one, { key: 'bell.odd', text: odd }), 'bell');
        await store.put(setting(other, { text: '' }), 'bell');
      });
      await unitOfWork.run(() => store.put(setting(one, { text: 'dong' }), 'bell'));
      assert.deepEqual([...(await store.all(one))].toSorted(), [
        ['bell.odd', odd],
        ['bell.word', 'dong'],
      ]);
      assert.deepEqual(await store.all(other), new Map([['bell.word', '']]));
      assert.deepEqual(await store.all(await addRepository()), new Map());
    },
  },
  {
    name: 'one key of many repositories takes one query',
    async run({ store, unitOfWork, addRepository, statements }) {
      const ids = [await addRepository(), await addRepository(), await addRepository()];
      const [one = '', other = '', third = ''] = ids;
      await unitOfWork.run(async () => {
        for (const id of [one, other]) await store.put(setting(id, { text: id }), 'bell');
        await store.put(setting(third, { key: 'bell.odd' }), 'bell');
      });
      const before = statements?.() ?? 0;
      const found = await store.ofKey([...ids, randomUUID()], 'bell.word');
      if (statements !== undefined) assert.equal(statements() - before, 1);
      assert.deepEqual(
        found,
        new Map([
          [one, one],
          [other, other],
        ]),
      );
      assert.deepEqual(await store.ofKey([], 'bell.word'), new Map());
      assert.deepEqual(await store.ofKey([other], 'bell.word'), new Map([[other, other]]));
    },
  },
  {
    name: 'a rollback undoes stored settings',
    async run({ store, unitOfWork, addRepository }) {
      const id = await addRepository();
      await unitOfWork.run(() => store.put(setting(id), 'bell'));
      const failing = unitOfWork.run(async () => {
        await store.put(setting(id, { text: 'other' }), 'bell');
        await store.put(setting(id, { key: 'bell.odd' }), 'bell');
        assert.equal((await store.all(id)).size, 2, 'the unit of work reads its own writes');
        throw new Error('no');
      });
      await assert.rejects(failing, { message: 'no' });
      assert.deepEqual(await store.all(id), new Map([['bell.word', 'ding']]));
    },
  },
  {
    name: 'twenty units of work that lock, read and write each read what the previous one wrote',
    async run({ store, unitOfWork, addRepository }) {
      const id = await addRepository();
      const add = () =>
        unitOfWork.run(async () => {
          await store.hold(id);
          const text = (await store.all(id)).get('bell.word') ?? '';
          await turn();
          await store.put(setting(id, { text: `${text}x` }), 'bell');
        });
      await Promise.all(Array.from({ length: 20 }, add));
      assert.equal((await store.all(id)).get('bell.word'), 'x'.repeat(20));
    },
  },
  {
    name: 'settings are deleted with their repository',
    async run({ store, unitOfWork, addRepository, removeRepository }) {
      const [id, other] = [await addRepository(), await addRepository()];
      await unitOfWork.run(async () => {
        for (const one of [id, other]) await store.put(setting(one), 'bell');
      });
      await removeRepository(id);
      assert.deepEqual(await store.all(id), new Map());
      assert.equal((await store.all(other)).size, 1);
    },
  },
];

export const repositorySettingStoreChecks: readonly Check<RepositorySettingStoreUnderTest>[] = checks.map(
  ({ name, run }) => ({
    name,
    async run(provider) {
      const ada = await provider.addUser('ada');
      let made = 0;
      await run({ ...provider, addRepository: () => provider.addRepository(ada, `code-${++made}`) });
    },
  }),
);
