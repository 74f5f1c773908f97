// The contract suite of search back ends on a real OpenSearch.
import t from 'tap';
import { accessChecks } from '#test/contracts/search/access';
import { rankingChecks } from '#test/contracts/search/ranking';
import { searchBackendChecks } from '#test/contracts/search/search-backend';
import { onOpenSearch, opened, startedNode } from './node-under-test.ts';

void onOpenSearch(t).test('the search back end in OpenSearch', async (t) => {
  const node = await startedNode(t);
  for (const [what, shards, checks] of [
    ['every promise', 1, searchBackendChecks],
    ['access and ranking, with several shards', 3, [...accessChecks, ...rankingChecks]],
  ] as const)
    await t.test(what, async (t) => {
      const { backend } = await opened(t, node.url, { prefix: `contract-${shards}`, shards });
      for (const { name, run } of checks) await t.test(name, () => run({ backend }));
    });
});
