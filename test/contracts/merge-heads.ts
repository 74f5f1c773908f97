// The contract of MergeHeads: commits brought and kept, by the names that git finds them by.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mergeHeadRef, zeroOid, type MergeHeads, type Oid, type Repository } from '#core/repositories/index';
import type { Check } from './checks.ts';

export interface MergeHeadsUnderTest {
  readonly heads: MergeHeads;
  /** A repository that is no fork and has none. */
  readonly known: Pick<Repository, 'id' | 'owner'>;
  /** One of its commits. */
  readonly commit: Oid;
  /** The present value of one of its refs. */
  ref(name: string): Promise<string | undefined>;
}

const by = { signal: new AbortController().signal };

export const mergeHeadsChecks: readonly Check<MergeHeadsUnderTest>[] = [
  {
    name: 'a commit is kept under the number of its request until it is dropped, however often it is asked',
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
    name: 'a commit that is brought resolves to nothing; one that is not there, or of no repository, is not found',
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
    name: 'a repository without forks is a network of its own',
    async run({ heads, known }) {
      const ids = async (owner: string, id = known.id) => (await heads.network(id, owner)).map((each) => each.id);
      assert.deepEqual(await ids(known.owner.toUpperCase()), [known.id]);
      assert.deepEqual(await ids('nobody'), []);
      assert.deepEqual(await ids(known.owner, randomUUID()), []);
    },
  },
];
