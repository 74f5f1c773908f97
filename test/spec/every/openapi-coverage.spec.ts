// Runs last in each API suite: every pair of operation and status that the OpenAPI document lists for the suite's
// plugin was seen, and every pair that was seen is listed.
import t from 'tap';
import { areas, owned } from '#test/support/area';
import { seen } from '#test/support/clients/openapi';
import { standardContract } from '#test/support/shared-forge';

void t.test('the OpenAPI document lists what the suite saw, and the suite saw what it lists', async (t) => {
  const contract = await standardContract(t);
  t.ok(contract.operations.length >= 20, `the document lists operations: ${contract.operations.length}`);
  t.strictSame(
    contract.operations.filter(({ tag }) => !areas.includes(tag)).map(({ id, tag }) => `${id} of "${tag}"`),
    [],
    'every operation belongs to a folder of test/spec, so that a suite covers it',
  );
  const pairs = (source: Iterable<readonly [string, Iterable<number>]>): string[] =>
    [...source].flatMap(([id, statuses]) => [...statuses].map((status) => `${id} ${status}`)).sort();
  const listed = (operations: typeof contract.operations): string[] =>
    pairs(operations.map(({ id, answers }) => [id, answers.keys()] as const));
  const saw = pairs(seen);
  t.strictSame(
    listed(owned(contract.operations)).filter((pair) => !saw.includes(pair)),
    [],
    'listed but not seen',
  );
  // Every forge has checked its answers against its own document; this is the document of the standard plugins.
  const lists = listed(contract.operations);
  t.strictSame(
    saw.filter((pair) => !lists.includes(pair)),
    [],
    'seen but not listed',
  );
});
