// Lists of issues as large as whoever asks likes: what would be too much is refused, or cut, before it is read.
import tap from 'tap';
import type { IssueStore } from '#core/issues/index';
import { listChildren, listIssues } from '#core/issues/list-issues';
import { alice, refusal, world } from './world.ts';

type Slice = Parameters<IssueStore['list']>[2];

/** A store that says how many issues it has, and notes how its pages are read. */
async function counted(t: Pick<typeof tap, 'teardown'>, count: number) {
  const forge = await world();
  t.teardown(() => forge.close());
  const slices: Slice[] = [];
  const store = {
    count: async () => count,
    lineage: async () => ({ id: 'parent' }),
    list: async (_repository: string, _filter: object, slice: Slice) => {
      slices.push(slice);
      return [];
    },
  };
  const parts = { store, associations: { of: async () => new Map() } } as unknown as Parameters<typeof listIssues>[0];
  return { parts, granted: await forge.reading(alice), slices };
}

void tap.test('a page of more than an answer holds is refused before an issue is read', async (t) => {
  const { parts, granted, slices } = await counted(t, 1_000_000);
  const page = { page: 1, perPage: 1_000_000 };
  await t.rejects(listIssues(parts)(granted, { page }), refusal('unprocessable'));
  t.strictSame(slices, []);
});

void tap.test('as many as were counted are read, and of each text its share', async (t) => {
  const { parts, granted, slices } = await counted(t, 300);
  await listIssues(parts)(granted, { page: { page: 1, perPage: 1_000_000 } });
  await listIssues(parts)(granted, { page: { page: 12, perPage: 25 } });
  await listIssues(parts)(granted, { page: { page: 13, perPage: 25 } });
  await listChildren(parts)(granted, { number: '1', page: { page: 1, perPage: 100 } });
  t.match(slices, [
    { limit: 300, offset: 0, texts: 9320 },
    { limit: 25, offset: 275, texts: undefined },
    { limit: 100, offset: 0, texts: 27_962 },
  ]);
});
