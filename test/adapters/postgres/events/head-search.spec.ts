// The search for due chains: which owners and chains are searched next, and what happens if a search takes too long.
import t from 'tap';
import { type DueOptions, type Found, mostChains, mostOwners } from '#adapters/postgres/events/due';
import { HeadSearch } from '#adapters/postgres/events/head-search';
import { DatabaseFault } from '#adapters/postgres/statements/errors';
import { Unavailable } from '#core/kernel/errors';
import { on } from '#core/kernel/storage/events';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import type {} from '#test/contracts/storage/events';

type Sought = Omit<DueOptions, 'from'>;
const plugin = 'one';
const handler = (name: string): OwnedSubscription => ({
  plugin,
  subscription: on('contract.counted', { name, delivery: 'durable', handle: async () => undefined }),
});
const owner = (index: number): string => `owner-${String(index).padStart(4, '0')}`;

const two: Sought = { running: [], each: 2 };
const four: Sought = { running: [], each: 4 };

/** A search over owners with one due chain each. */
const searching = (owners: number) => {
  const asked: (readonly string[])[] = [];
  const find = async ({ from }: DueOptions): Promise<readonly Found[]> => {
    asked.push(from.map(({ subscription, after }) => `${subscription} ${after}`));
    return from.flatMap(({ subscription, after }) =>
      Array.from({ length: owners }, (_, index) => owner(index))
        .filter((one) => one > after)
        .slice(0, mostOwners)
        .map((one, index) => ({
          plugin,
          subscription,
          owner: one,
          step: index + 1,
          chain: `${plugin} ${subscription} ${one}`,
          position: index,
          look: 1,
          due: true,
        })),
    );
  };
  return { asked, search: new HeadSearch({ find, skipped: () => undefined }) };
};

void t.test('one round searches every owner once, a part of them at a time', async (t) => {
  const { asked, search } = searching(mostOwners + 10);
  search.restart();
  const first = await search.next([handler('a')], four);
  t.match(first, { more: true, heads: { length: mostOwners } });
  t.match(await search.next([handler('a')], four), { more: false, heads: { length: 10 } });
  t.match(await search.next([handler('a')], four), { more: false, heads: [] });
  t.strictSame(asked, [['a '], [`a ${owner(mostOwners - 1)}`]]);
});

void t.test(
  'a round that ended early is continued by the next one, which also searches the owners before',
  async (t) => {
    const { asked, search } = searching(mostOwners + 10);
    search.restart();
    await search.next([handler('a')], four);
    search.restart();
    const last = `a ${owner(mostOwners - 1)}`;
    t.match(await search.next([handler('a'), handler('b')], four), { more: true, heads: { length: 10 + mostOwners } });
    t.match(await search.next([handler('a'), handler('b')], four), { more: true });
    t.match(await search.next([handler('a'), handler('b')], four), { more: false });
    t.strictSame(asked, [['a '], [last, 'b '], ['a ', `b ${owner(mostOwners - 1)}`], [last]]);
  },
);

void t.test(
  'the chains of an owner are searched after the last one that was found, if there may be more',
  async (t) => {
    const asked: unknown[] = [];
    const row = (chain: string, { of = 'many', look = 1, due = true } = {}): Found => ({
      plugin,
      subscription: 'a',
      owner: of,
      step: 1,
      chain,
      position: 1,
      look,
      due,
    });
    let found: readonly Found[] = [];
    const find = async ({ from }: DueOptions): Promise<readonly Found[]> => {
      asked.push(from.map(({ chains }) => chains.map(({ owner: of, chain }) => `${of} ${chain}`)));
      return found;
    };
    const search = new HeadSearch({ find, skipped: () => undefined });
    const next = async (...rows: readonly Found[]): Promise<number> => {
      found = rows;
      search.restart();
      return (await search.next([handler('a')], two)).heads.length;
    };
    t.equal(await next(row('c1'), row('c2'), row('d1', { of: 'few' })), 3);
    t.equal(await next(row('c64', { look: mostChains, due: false })), 0, 'none of them was due');
    t.equal(await next(row('c70')), 1);
    await next();
    t.strictSame(asked, [[[]], [['many c2']], [['many c64']], [[]]]);
  },
);

void t.test('a search that takes too long is repeated for each handler; the others are searched', async (t) => {
  const slow = new Unavailable('slow', { cause: new DatabaseFault({ message: 'slow', code: '57014' }) });
  const skipped: string[] = [];
  const { search: plain } = searching(1);
  const failing = (error: Error, also: string): HeadSearch =>
    new HeadSearch({
      find: async ({ from }) => {
        if (from.some(({ subscription }) => subscription === also)) throw error;
        const [one] = from;
        plain.restart();
        return (await plain.next([handler(one?.subscription ?? '')], four)).heads.map((head) => ({
          ...head,
          subscription: one?.subscription ?? '',
          step: 1,
          look: 1,
          due: true,
        }));
      },
      skipped: ({ subscription }) => void skipped.push(subscription),
    });
  const found = await failing(slow, 'b').next([handler('a'), handler('b'), handler('c')], four);
  t.strictSame(
    found.heads.map(({ chain }) => chain),
    [`one a ${owner(0)}`, `one c ${owner(0)}`],
  );
  t.equal(found.more, false);
  t.strictSame(skipped, ['b']);
  await t.rejects(failing(new Error('broken'), 'b').next([handler('a'), handler('b')], four), { message: 'broken' });
});
