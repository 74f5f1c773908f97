// Pagination: per_page and page under each page rule, limit and offset.
import t from 'tap';
import { offsetOf, pageRules, readPage, readSlice, type PageRule } from '#core/kernel/page';

const most = Number.MAX_SAFE_INTEGER;

void t.test('per_page under each page rule', async (t) => {
  const rules: Readonly<Record<string, PageRule>> = {
    uncapped: pageRules.uncapped(),
    orDefault: pageRules.orDefault(),
    capped: pageRules.capped(),
    clamped: pageRules.clamped(),
    maximum: pageRules.maximum(50, 500),
  };
  const table: readonly (readonly [unknown, number, number, number, number, number])[] = [
    // The columns: sent, uncapped, orDefault, capped, clamped, maximum
    [undefined, 25, 25, 25, 25, 50],
    [1, 1, 1, 1, 1, 1],
    [100, 100, 100, 100, 100, 100],
    [101, 101, 25, 100, 100, 101],
    [500, 500, 25, 100, 100, 500],
    [501, 501, 25, 100, 100, 500],
    [5_000, 5_000, 25, 100, 100, 500],
    [0, 25, 25, 25, 1, 500],
    [-1, 25, 25, 25, 1, 500],
    ['30', 30, 30, 30, 30, 30],
    ['', 25, 25, 25, 25, 50],
    [' ', 25, 25, 25, 25, 50],
    ['abc', 25, 25, 25, 25, 50],
    ['1e1', 25, 25, 25, 25, 50],
    ['1.5', 25, 25, 25, 25, 50],
    [Number.NaN, 25, 25, 25, 25, 50],
    ['9007199254740991', most, 25, 100, 100, 500],
    ['9007199254740992', most, 25, 100, 100, 500],
    ['9'.repeat(400), most, 25, 100, 100, 500],
    ['-9007199254740993', 25, 25, 25, 1, 500],
    [1e300, most, 25, 100, 100, 500],
    [Number.POSITIVE_INFINITY, 25, 25, 25, 25, 50],
    [['10', '20'], 25, 25, 25, 25, 50],
    [null, 25, 25, 25, 25, 50],
    [true, 25, 25, 25, 25, 50],
  ];
  for (const [sent, ...expected] of table) {
    for (const [index, [name, rule]] of Object.entries(rules).entries())
      t.equal(readPage(rule, { per_page: sent }).perPage, expected[index], `${name}: ${JSON.stringify(sent)}`);
  }
});

void t.test('page is 1-based, and below 1 is 1', async (t) => {
  for (const [sent, page] of [
    [undefined, 1],
    [0, 1],
    [-3, 1],
    ['x', 1],
    [1, 1],
    ['7', 7],
    [2.5, 1],
    ['9007199254740993', most],
    ['9'.repeat(400), most],
    [`-${'9'.repeat(400)}`, 1],
  ] as const)
    t.equal(readPage(pageRules.orDefault(), { page: sent }).page, page, String(sent));
});

void t.test('limit and offset out of range become the maximum and zero', async (t) => {
  const rule = pageRules.maximum(50, 200);
  t.strictSame(readSlice(rule, {}), { limit: 50, offset: 0 });
  t.strictSame(readSlice(rule, { limit: '20', offset: '40' }), { limit: 20, offset: 40 });
  t.strictSame(readSlice(rule, { limit: 201, offset: -1 }), { limit: 200, offset: 0 });
  t.strictSame(readSlice(rule, { limit: 0, offset: 'x' }), { limit: 200, offset: 0 });
  t.strictSame(readSlice(rule, { limit: 'x' }), { limit: 50, offset: 0 });
  t.strictSame(readSlice(rule, { limit: '9'.repeat(20), offset: '9'.repeat(20) }), { limit: 200, offset: most });
});

void t.test('the offset of a page is a safe integer, however far the page is', async (t) => {
  t.equal(offsetOf({ page: 1, perPage: 25 }), 0);
  t.equal(offsetOf({ page: 3, perPage: 25 }), 50);
  t.equal(offsetOf({ page: most, perPage: most }), most);
});
