// Contract checks for the ports of the indexing: IndexQueue and SearchIndexing.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { SearchIndexing } from '#core/kernel/services/search-indexing';
import type { IndexQueue } from '#host/plugin/indexers';
import type { Check } from '../checks.ts';

export const indexQueueChecks: readonly Check<IndexQueue>[] = [
  {
    name: 'documents of known and unknown sections and repositories are queued, and queued again',
    async run(queue) {
      const repositoryId = randomUUID();
      for (const section of ['issues', 'unknown', 'issues'])
        for (const documents of [
          [],
          [{ repositoryId }],
          [
            { repositoryId, key: '1' },
            { repositoryId, key: '2' },
          ],
        ])
          assert.equal(await queue.touched(section, documents), undefined);
    },
  },
];

export interface SearchIndexingUnderTest {
  readonly indexing: SearchIndexing;
  /** The path of a repository: `owner/name`. */
  readonly repository: string;
}

export const searchIndexingChecks: readonly Check<SearchIndexingUnderTest>[] = [
  {
    name: 'the state has counts from 0, and undefined for unknown sizes',
    async run({ indexing }) {
      const { files, symbols, documents, bytes, rebuilding, ...counts } = await indexing.state();
      for (const size of [files, symbols, documents, bytes])
        assert.ok(size === undefined || (Number.isSafeInteger(size) && size >= 0), String(size));
      for (const [name, count] of Object.entries(counts))
        assert.ok(Number.isSafeInteger(count) && count >= 0, `${name} ${count}`);
      assert.equal(typeof rebuilding, 'boolean');
    },
  },
  {
    name: 'one repository is queued by its path in any case, and an unknown one is not found',
    async run({ indexing, repository }) {
      await indexing.reindex(repository);
      await indexing.reindex(repository.toUpperCase());
      for (const path of [`${repository}-other`, 'nonsense', ''])
        await assert.rejects(indexing.reindex(path), { kind: 'not_found' }, path);
    },
  },
  {
    name: 'a rebuild of everything begins, and beginning it again changes nothing',
    async run({ indexing }) {
      await indexing.reindex(undefined);
      await indexing.reindex(undefined);
    },
  },
];
