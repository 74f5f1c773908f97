// The choice of chains that run next.
import t from 'tap';
import { FairChoice, type ChainHead, type Running } from '#adapters/postgres/events/fair-choice';

const head = (owner: string, position: number, plugin = 'one'): ChainHead => ({
  owner,
  position,
  plugin,
  chain: `${plugin} ${owner} ${position}`,
});
const run = ({ owner, plugin }: ChainHead, slow = false): Running => ({ owner, plugin, slow });
const many = (owner: string, plugin?: string): readonly ChainHead[] =>
  Array.from({ length: 20 }, (_, position) => head(owner, position, plugin));
const owners = (heads: readonly ChainHead[]): string => heads.map(({ owner }) => owner).join('');

void t.test('an owner has half of the slots of a plugin, and half of all slots', async (t) => {
  const choice = new FairChoice({ width: 16, share: 8 });
  t.equal(choice.next(many('a'), []).length, 4);
  t.equal(choice.next([...many('a', 'one'), ...many('a', 'two'), ...many('a', 'three')], []).length, 8);
  t.equal(choice.next([...many('a'), ...many('b'), ...many('c')], []).length, 8, 'a plugin has its share');
});

void t.test('a slow chain releases its slot, but counts for its owner in the plugin', async (t) => {
  const choice = new FairChoice({ width: 16, share: 8 });
  const slow = many('a')
    .slice(0, 4)
    .map((one) => run(one, true));
  t.equal(choice.free(slow), 16);
  t.equal(owners(choice.next([...many('a'), ...many('b')], slow)), 'bbbb');
});

void t.test('the owner with the fewest chains is next, then the least recently chosen one', async (t) => {
  const choice = new FairChoice({ width: 4, share: 4 });
  t.equal(owners(choice.next([...many('a'), head('b', 100)], [])), 'aba');
  const busy = ['c', 'd', 'e'].map((owner) => run(head(owner, 0)));
  t.equal(owners(choice.next([...many('a'), ...many('c'), head('b', 100)], busy)), 'b', 'b was chosen before a');
  t.equal(owners(choice.next([...many('a'), head('f', 200)], busy)), 'f', 'f was never chosen');
  t.equal(owners(choice.next([head('b', 9), head('g', 8), head('g', 7)], busy)), 'g');
});

void t.test('of one owner the oldest event is first', async (t) => {
  const choice = new FairChoice({ width: 2, share: 2 });
  t.strictSame(
    choice.next([head('a', 3), head('a', 1), head('a', 2)], []).map(({ position }) => position),
    [1],
  );
});
