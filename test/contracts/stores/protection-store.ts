// Contract checks for ProtectionStore: rules by repository and branch, replaced as a whole, and undone by a rollback.
import assert from 'node:assert/strict';
import { defaultProtection, type Protection, type ProtectionStore } from '#core/repositories/index';
import type { Check } from '../checks.ts';
import type { ForgeUnderTest } from '../forge-under-test.ts';

export interface ProtectionStoreUnderTest extends ForgeUnderTest {
  readonly store: ProtectionStore;
}

interface Given extends Omit<ProtectionStoreUnderTest, 'addRepository'> {
  /** Adds a repository. @returns its id. */
  readonly addRepository: () => Promise<string>;
}

const strict: Protection = {
  allowForcePush: true,
  allowDeletion: true,
  pushRoles: ['admin', 'it\'s "odd", {so}', 'null', ' a ', String.raw`back\slash"`],
  requiredApprovals: 3,
  dismissStaleApprovals: true,
  requiredPipeline: { onOpen: true, onMerge: false },
};
const at = new Date('2026-01-02T03:04:05.678Z');

const checks: readonly Check<Given>[] = [
  {
    name: 'rules read back unchanged, by branch and repository',
    async run({ store, unitOfWork, addRepository }) {
      const [one, other] = [await addRepository(), await addRepository()];
      await unitOfWork.run(async () => {
        await store.put(one, 'main', defaultProtection, at);
        await store.put(one, 'feature/ü', strict, at);
        await store.put(other, 'main', { ...strict, pushRoles: [] }, at);
      });
      assert.deepEqual(
        await store.all(one),
        new Map([
          ['main', defaultProtection],
          ['feature/ü', strict],
        ]),
      );
      assert.deepEqual(await store.all(other), new Map([['main', { ...strict, pushRoles: [] }]]));
      assert.deepEqual(await store.all(await addRepository()), new Map());
    },
  },
  {
    name: 'setting a rule again replaces it, and branch names are case-sensitive',
    async run({ store, unitOfWork, addRepository }) {
      const id = await addRepository();
      await unitOfWork.run(() => store.put(id, 'main', strict, at));
      await unitOfWork.run(() => store.put(id, 'Main', strict, at));
      await unitOfWork.run(() => store.put(id, 'main', defaultProtection, new Date()));
      assert.deepEqual(
        await store.all(id),
        new Map([
          ['main', defaultProtection],
          ['Main', strict],
        ]),
      );
    },
  },
  {
    name: 'deleting returns whether a rule existed, and keeps the others',
    async run({ store, unitOfWork, addRepository }) {
      const [one, other] = [await addRepository(), await addRepository()];
      for (const id of [one, other])
        for (const branch of ['a', 'b']) await unitOfWork.run(() => store.put(id, branch, strict, at));
      assert.equal(await unitOfWork.run(() => store.delete(one, 'a')), true);
      assert.equal(await unitOfWork.run(() => store.delete(one, 'a')), false);
      assert.deepEqual([...(await store.all(one)).keys()], ['b']);
      assert.deepEqual([...(await store.all(other)).keys()].toSorted(), ['a', 'b']);
    },
  },
  {
    name: 'all rules of a repository take one query',
    async run({ store, unitOfWork, addRepository, statements }) {
      const id = await addRepository();
      await unitOfWork.run(async () => {
        for (let number = 0; number < 20; number++) await store.put(id, `b${number}`, strict, at);
      });
      const before = statements?.() ?? 0;
      assert.equal((await store.all(id)).size, 20);
      if (statements !== undefined) assert.equal(statements() - before, 1);
    },
  },
  {
    name: 'a rollback undoes every change of a unit of work',
    async run({ store, unitOfWork, addRepository }) {
      const id = await addRepository();
      await unitOfWork.run(() => store.put(id, 'kept', strict, at));
      const failed = unitOfWork.run(async () => {
        await store.put(id, 'main', strict, at);
        await store.delete(id, 'kept');
        assert.deepEqual([...(await store.all(id)).keys()], ['main'], 'a unit of work reads its own writes');
        throw new Error('rolled back');
      });
      await assert.rejects(failed, { message: 'rolled back' });
      assert.deepEqual(await store.all(id), new Map([['kept', strict]]));
    },
  },
  {
    name: 'rules are deleted with their repository',
    async run({ store, unitOfWork, addRepository, removeRepository }) {
      const id = await addRepository();
      await unitOfWork.run(() => store.put(id, 'main', strict, at));
      await removeRepository(id);
      assert.deepEqual(await store.all(id), new Map());
    },
  },
];

export const protectionStoreChecks: readonly Check<ProtectionStoreUnderTest>[] = checks.map(({ name, run }) => ({
  name,
  async run(provider) {
    const ada = await provider.addUser('ada');
    let made = 0;
    await run({ ...provider, addRepository: () => provider.addRepository(ada, `code-${++made}`) });
  },
}));
