// Large lists of issues: a page that is too large is rejected, or its texts are truncated, before it is read.
import tap from 'tap';
import type { IssueStore } from '#core/issues/index';
import { listChildren, listIssues } from '#core/issues/lists/list-issues';
import { alice, refusal, world } from './world.ts';

type Slice = Parameters<IssueStore['list']>[2];

const plain = { labelIds: [], assignees: [], description: '', assumptions: null, acceptanceCriteria: null };

/** A store that reports `count` issues, and records how its pages are read. */
async function counted(t: Pick<typeof tap, 'teardown'>, count: number, row?: (number: number) => object) {
  const forge = await world();
  t.teardown(() => forge.close());
  const slices: Slice[] = [];
  const store = {
    count: async () => count,
    lineage: async () => ({ id: 'parent' }),
    list: async (_repository: string, _filter: object, slice: Slice) => {
      slices.push(slice);
      const first = slice.beyond === undefined ? count - slice.offset : slice.beyond - 1;
      const there = row === undefined ? 0 : Math.min(slice.limit, first);
      return Array.from({ length: there }, (_, at) => ({ ...plain, number: first - at, ...row?.(first - at) }));
    },
  };
  const parts = { store, associations: { of: async () => new Map() } } as unknown as Parameters<typeof listIssues>[0];
  return { parts, granted: await forge.reading(alice), slices };
}

void tap.test('a page larger than an answer may be is rejected before an issue is read', async (t) => {
  const { parts, granted, slices } = await counted(t, 1_000_000);
  const page = { page: 1, perPage: 1_000_000 };
  await t.rejects(listIssues(parts)(granted, { page }), refusal('unprocessable'));
  t.strictSame(slices, []);
});

void tap.test('no more issues are read than were counted, and each text up to its share', async (t) => {
  const { parts, granted, slices } = await counted(t, 300);
  await listIssues(parts)(granted, { page: { page: 1, perPage: 1_000_000 } });
  await listIssues(parts)(granted, { page: { page: 12, perPage: 25 } });
  await listIssues(parts)(granted, { page: { page: 13, perPage: 25 } });
  await listChildren(parts)(granted, { number: '1', page: { page: 1, perPage: 100 } });
  t.match(slices, [
    { limit: 250, offset: 0, texts: 9320 },
    { limit: 25, offset: 275, texts: undefined },
    { limit: 100, offset: 0, texts: 27_962 },
  ]);
});

void tap.test('a large page is read in slices, each starting after the last issue of the one before', async (t) => {
  const { parts, granted, slices } = await counted(t, 1000, () => ({}));
  const { items } = await listIssues(parts)(granted, { page: { page: 2, perPage: 400 } });
  t.strictSame(
    items.map(({ number }) => number),
    Array.from({ length: 400 }, (_, at) => 600 - at),
  );
  t.match(slices, [
    { limit: 250, offset: 400, beyond: undefined },
    { limit: 150, offset: 0, beyond: 351 },
  ]);
  t.equal(slices.length, 2);
});

void tap.test('a page with too many labels and assignees is rejected before it is read completely', async (t) => {
  const labelIds = Array.from({ length: 100 }, (_, at) => `label ${at}`);
  const { parts, granted, slices } = await counted(t, 16_000, () => ({ labelIds, assignees: labelIds }));
  await t.rejects(
    listIssues(parts)(granted, { page: { page: 1, perPage: 16_000 } }),
    refusal('unprocessable', /100000 labels and assignees/),
  );
  t.equal(slices.length, 3, 'slices of 250 issues');
  const { items } = await listIssues(parts)(granted, { page: { page: 1, perPage: 500 } });
  t.equal(items.length, 500, 'the maximum');
});

void tap.test('a page with too many components and versions is rejected', async (t) => {
  const { parts, granted } = await counted(t, 2000, () => ({}));
  const components = Array.from({ length: 100 }, () => ({ description: '' }));
  const of = async (ids: readonly string[]) =>
    new Map(ids.map((id) => [id, { components, fixVersions: [], affectsVersions: [] }]));
  const many = { ...parts, associations: { of } } as unknown as typeof parts;
  await t.rejects(
    listIssues(many)(granted, { page: { page: 1, perPage: 2000 } }),
    refusal('unprocessable', /100000 components and versions/),
  );
});
