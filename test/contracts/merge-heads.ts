// Contract checks for MergeHeads: commits that are copied and kept under the ref names by which git finds them.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mergeHeadRef, zeroOid, type MergeHeads, type Oid, type Repository } from '#core/repositories/index';
import type { Check } from './checks.ts';

export interface MergeHeadsUnderTest {
  readonly heads: MergeHeads;
  /** A repository that is not a fork and has no forks. */
  readonly known: Pick<Repository, 'id' | 'owner'>;
  /** One of its commits. */
  readonly commit: Oid;
  /** The current value of one of its refs. */
  ref(name: string): Promise<string | undefined>;
}

const by = { signal: new AbortController().signal };

export const mergeHeadsChecks: readonly Check<MergeHeadsUnderTest>[] = [
  {
    name: 'a commit is kept under the number of its request until it is dropped, also if kept or dropped twice',
    async run({ heads, known, commit, ref }) {
      const offered = { sourceRepositoryId: known.id, commit };
      for (const number of [1, 2, 2]) {
        await heads.keep(known.id, number, offered, by);
        assert.equal(await ref(mergeHeadRef(number)), commit);
      }
      await heads.drop(known.id, 1);
      await heads.drop(known.id, 1);
      assert.equal((await ref(mergeHeadRef(1))) ?? zeroOid, zeroOid);
      assert.equal(await ref(mergeHeadRef(2)), commit);
      await heads.drop(known.id, 2);
    },
  },
  {
    name: 'bring of an existing commit resolves; of a missing commit or repository it is NotFound',
    async run({ heads, known, commit }) {
      const offered = { sourceRepositoryId: known.id, commit };
      await heads.bring(known.id, offered, by);
      const refused = { kind: 'not_found' };
      await assert.rejects(heads.bring(known.id, { ...offered, commit: 'b'.repeat(40) }, by), refused);
      await assert.rejects(heads.bring(randomUUID(), offered, by), refused);
      await assert.rejects(heads.keep(known.id, 3, { ...offered, sourceRepositoryId: randomUUID() }, by), refused);
    },
  },
  {
    name: 'the network of a repository without forks contains only itself',
    async run({ heads, known }) {
      const ids = async (owner: string, id = known.id) => (await heads.network(id, owner)).map((each) => each.id);
      assert.deepEqual(await ids(known.owner.toUpperCase()), [known.id]);
      assert.deepEqual(await ids('nobody'), []);
      assert.deepEqual(await ids(known.owner, randomUUID()), []);
    },
  },
];
