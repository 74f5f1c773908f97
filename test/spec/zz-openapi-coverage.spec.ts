// Runs last in its suite: what the HTTP suites saw and what the OpenAPI document lists are the same pairs of operation
// and status.
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { seen } from '#test/support/openapi';

void t.test('the OpenAPI document lists what the suites saw, and the suites saw what it lists', async (t) => {
  const { contract } = await startTestForge(t);
  t.ok(contract.operations.length >= 20, `the document lists operations: ${contract.operations.length}`);
  const pairs = (source: Iterable<readonly [string, Iterable<number>]>): string[] =>
    [...source].flatMap(([id, statuses]) => [...statuses].map((status) => `${id} ${status}`)).sort();
  const saw = pairs(seen);
  const lists = pairs(contract.operations.map(({ id, answers }) => [id, answers.keys()] as const));
  t.strictSame(
    lists.filter((pair) => !saw.includes(pair)),
    [],
    'listed, and no test saw it',
  );
  // Every forge held its answers against its own document already; this is the one of the standard plugins.
  t.strictSame(
    saw.filter((pair) => !lists.includes(pair)),
    [],
    'seen, and not listed',
  );
});
