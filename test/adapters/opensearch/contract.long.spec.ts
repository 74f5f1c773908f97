// The contract suite of search back ends on a real OpenSearch.
import t from 'tap';
import { searchBackendChecks } from '#test/contracts/search/search-backend';
import { onOpenSearch, opened, startedNode } from './node-under-test.ts';

void onOpenSearch(t).test('the search back end in OpenSearch', async (t) => {
  const node = await startedNode(t);
  for (const shards of [1, 3])
    await t.test(`shards: ${shards}`, async (t) => {
      const { backend } = await opened(t, node.url, { prefix: `contract-${shards}`, shards });
      for (const { name, run } of searchBackendChecks) await t.test(name, () => run({ backend }));
    });
});
