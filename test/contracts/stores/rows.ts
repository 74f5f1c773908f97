// Contract checks for `Rows`, run on every engine: equality, order, pages, uniqueness, returned rows and rollback.
import assert from 'node:assert/strict';
import { Duplicate } from '#core/kernel/errors';
import type { RowQuery, Rows } from '#core/kernel/storage/rows';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { gate, turn, type Check } from '../checks.ts';

export interface Thing {
  readonly id: string;
  readonly ownerId: string;
  readonly nameKey: string;
  readonly rank: number;
  readonly tags: readonly string[];
  readonly closedAt: Date | null;
}

export interface RowsUnderTest {
  readonly rows: Rows<Thing>;
  readonly unitOfWork: UnitOfWork;
}

const [ada, bob] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
let made = 0;
const thing = (nameKey: string, more: Partial<Thing> = {}): Thing => ({
  id: `00000000-0000-4000-9000-${String(++made).padStart(12, '0')}`,
  ownerId: ada,
  nameKey,
  rank: 0,
  tags: ['a,b "c"'],
  closedAt: null,
  ...more,
});

function check(
  name: string,
  run: (under: RowsUnderTest & { add(...things: readonly Thing[]): Promise<void> }) => Promise<void>,
): Check<RowsUnderTest> {
  return {
    name,
    run: (under) =>
      run({
        ...under,
        add: (...things) =>
          under.unitOfWork.run(async () => {
            for (const one of things) assert.deepEqual(await under.rows.insert(one), one);
          }),
      }),
  };
}

export const rowsChecks: readonly Check<RowsUnderTest>[] = [
  check('a row reads back unchanged, and is found by any members, including null', async ({ rows, add }) => {
    const closedAt = new Date('2026-01-02T03:04:05.678Z');
    const [one, two] = [thing("it's \\ ✓"), thing('two', { closedAt })];
    await add(one, two);
    assert.deepEqual(await rows.findOne({ id: one.id }), one);
    assert.deepEqual(await rows.findOne({ nameKey: one.nameKey, ownerId: ada }), one);
    assert.deepEqual(await rows.findOne({ closedAt: null }), one);
    assert.deepEqual(await rows.findOne({ closedAt }), two);
    assert.equal(await rows.findOne({ id: one.id, ownerId: bob }), undefined);
  }),

  check('lists have the requested order, and pages count all rows', async ({ rows, add }) => {
    const all = [thing('c', { rank: 1 }), thing('a', { rank: 2 }), thing('b', { rank: 2 })];
    await add(...all, thing('d', { ownerId: bob }));
    const where = { ownerId: ada };
    const names = (found: readonly Thing[]) => found.map(({ nameKey }) => nameKey).join('');
    assert.equal(names(await rows.find({ where, orderBy: ['nameKey'] })), 'abc');
    assert.equal(names(await rows.find({ where, orderBy: [{ desc: 'nameKey' }] })), 'cba');
    assert.equal(names(await rows.find({ where, orderBy: [{ desc: 'rank' }, 'nameKey'] })), 'abc');
    const page = (number: number) => rows.page({ where, orderBy: ['rank', 'nameKey'] }, { page: number, perPage: 2 });
    assert.deepEqual(await page(1), { items: [all[0], all[1]], total: 3, page: 1, perPage: 2 });
    assert.deepEqual(await page(2), { items: [all[2]], total: 3, page: 2, perPage: 2 });
    assert.deepEqual(await page(3), { items: [], total: 3, page: 3, perPage: 2 });
    const slice = { where, orderBy: ['nameKey'] as const };
    assert.equal(names(await rows.find({ ...slice, limit: 2 })), 'ab');
    assert.equal(names(await rows.find({ ...slice, offset: 1 })), 'bc');
    assert.equal(names(await rows.find({ ...slice, offset: 1, limit: 1 })), 'b');
  }),

  check('`ranges` selects the rows whose member lies between its bounds, and null lies in none', async (under) => {
    const { rows, unitOfWork, add } = under;
    const at = (hour: number): Date => new Date(Date.UTC(2026, 0, 1, hour));
    await add(
      ...[0, 1, 2, 3, 4].map((rank) => thing(`r${rank}`, { rank, closedAt: rank === 0 ? null : at(rank) })),
      thing('r9', { rank: 2, ownerId: bob }),
    );
    const names = async (ranges: RowQuery<Thing>['ranges'] & object, more: Partial<RowQuery<Thing>> = {}) =>
      (await rows.find({ where: { ownerId: ada }, ranges, orderBy: ['rank'], ...more })).map(({ nameKey }) => nameKey);
    assert.deepEqual(await names({ rank: { '>': 1 } }), ['r2', 'r3', 'r4']);
    assert.deepEqual(await names({ rank: { '>=': 1, '<': 3 } }), ['r1', 'r2']);
    assert.deepEqual(await names({ rank: { '<=': 0 } }), ['r0']);
    assert.deepEqual(await names({ rank: {} }), ['r0', 'r1', 'r2', 'r3', 'r4']);
    assert.deepEqual(await names({ closedAt: { '<': at(3) } }), ['r1', 'r2']);
    assert.deepEqual(await names({ closedAt: { '>=': at(3) }, rank: { '<': 4 } }), ['r3']);
    assert.deepEqual(await names({ nameKey: { '>': 'r2' } }), ['r3', 'r4']);
    assert.deepEqual(await names({ rank: { '>': 0 } }, { orderBy: [{ desc: 'rank' }], limit: 2 }), ['r4', 'r3']);
    assert.deepEqual(await names({ rank: { '>': 0 } }, { among: { rank: [0, 1, 2] }, offset: 1 }), ['r2']);
    const query = { where: { ownerId: ada }, ranges: { rank: { '>': 1 } }, orderBy: ['rank'] as const };
    assert.deepEqual(
      (await rows.page(query, { page: 2, perPage: 2 })).items.map(({ nameKey }) => nameKey),
      ['r4'],
    );
    assert.equal((await rows.page(query, { page: 1, perPage: 1 })).total, 3);
    await unitOfWork.run(() =>
      rows.updateMany({ where: { ownerId: ada }, ranges: { rank: { '>=': 4 } } }, { rank: 7 }),
    );
    await unitOfWork.run(() => rows.deleteMany({ where: { ownerId: ada }, ranges: { closedAt: { '<=': at(2) } } }));
    assert.deepEqual(await names({ rank: { '>=': 0 } }), ['r0', 'r3', 'r4']);
    assert.deepEqual(await names({ rank: { '>': 6 } }), ['r4']);
  }),
  check('`among` returns the rows whose member has one of the values, and no others', async ({ rows, add }) => {
    const closedAt = new Date('2026-01-02T03:04:05.678Z');
    const all = [thing('a', { closedAt }), thing('b', { rank: 1 }), thing('c', { rank: 2 }), thing('d', { rank: 2 })];
    await add(...all, thing('a', { ownerId: bob }));
    const names = async (among: RowQuery<Thing>['among'] & object) => {
      const query = { where: { ownerId: ada }, among, orderBy: ['nameKey'] as const };
      const found = (await rows.find(query)).map(({ nameKey }) => nameKey).join('');
      const page = await rows.page(query, { page: 1, perPage: 1 });
      assert.equal(page.total, found.length, 'a page counts them');
      assert.equal(page.items[0]?.nameKey ?? '', found.slice(0, 1));
      return found;
    };
    assert.equal(await names({ nameKey: ['c', 'a', 'nothing', 'a'] }), 'ac');
    assert.equal(await names({ rank: [1, 2], nameKey: ['a', 'b', 'd'] }), 'bd');
    assert.equal(await names({ closedAt: [closedAt] }), 'a');
    assert.equal(await names({ id: [] }), '');
    assert.equal(await names({}), 'abcd');
  }),

  check(
    'reading a list continues after the last row read, also if rows were added or deleted meanwhile',
    async (under) => {
      const { rows, unitOfWork, add } = under;
      const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second, 678));
      const all = [1, 1, 1, 2, 3].map((second, index) => thing(`${index}`, { closedAt: at(second) }));
      await add(...all.toReversed(), thing('of another', { ownerId: bob, closedAt: at(2) }));
      const piece = (last?: Thing) =>
        rows.page(
          {
            where: { ownerId: ada },
            orderBy: ['closedAt', 'id'],
            after: last && { closedAt: last.closedAt, id: last.id },
          },
          { page: 1, perPage: 2 },
        );
      assert.deepEqual(await piece(), { items: all.slice(0, 2), total: 5, page: 1, perPage: 2 });
      assert.deepEqual(await piece(all[1]), { items: all.slice(2, 4), total: 3, page: 1, perPage: 2 });
      const late = thing('late', { closedAt: at(4) });
      await add(late);
      await unitOfWork.run(() => rows.delete({ id: all[1]?.id ?? '' }));
      assert.deepEqual(await piece(all[1]), { items: all.slice(2, 4), total: 4, page: 1, perPage: 2 });
      assert.deepEqual((await piece(all[3])).items, [all[4], late]);
      assert.deepEqual(await piece(late), { items: [], total: 0, page: 1, perPage: 2 });
    },
  ),

  check('count returns the number of matching rows', async ({ rows, unitOfWork, add }) => {
    assert.equal(await rows.count({}), 0);
    const closedAt = new Date('2026-01-02T03:04:05.678Z');
    await add(thing('a'), thing('b', { closedAt }), thing('c', { ownerId: bob }));
    const counts = async (how?: 'held') => [
      await rows.count({}, how),
      await rows.count({ ownerId: ada }, how),
      await rows.count({ ownerId: ada, closedAt: null }, how),
    ];
    assert.deepEqual(await counts(), [3, 2, 1]);
    assert.deepEqual(await unitOfWork.run(() => counts('held')), [3, 2, 1]);
  }),

  check(
    'of twenty units of work that count with `held` and then insert, none exceeds the bound',
    async ({ rows, unitOfWork }) => {
      const add = (index: number) =>
        unitOfWork.run(async () => {
          if ((await rows.count({ ownerId: ada }, 'held')) >= 7) return;
          await turn();
          await rows.insert(thing(`thing ${index}`));
        });
      await Promise.all(Array.from({ length: 20 }, (_, index) => add(index)));
      assert.equal(await rows.count({ ownerId: ada }), 7);
    },
  ),

  check('`addMany` inserts the rows whose keys do not exist', async ({ rows, unitOfWork }) => {
    const one = thing('one', { closedAt: new Date('2026-01-02T03:04:05.678Z') });
    const two = thing('two');
    const add = (...all: readonly Thing[]) => unitOfWork.run(() => rows.addMany(all));
    assert.equal(await add(), 0);
    assert.equal(await add(one), 1);
    assert.equal(await add({ ...one, rank: 7, tags: [] }), 0);
    assert.equal(await add({ ...one, rank: 7, tags: [] }, two), 1);
    assert.deepEqual(await rows.find({ where: {}, orderBy: ['id'] }), [one, two]);
  }),

  check('`put` inserts a row, or replaces the row with its key', async ({ rows, unitOfWork, add }) => {
    const [one, two] = [thing('one'), thing('two', { tags: ['a'] })];
    await add(one);
    const changed = { ...one, rank: 7, tags: ['b', 'c,"d"'], closedAt: new Date('2026-01-02T03:04:05.678Z') };
    await unitOfWork.run(async () => {
      await rows.put(changed);
      await rows.put(two);
    });
    assert.deepEqual(await rows.find({ where: {}, orderBy: ['id'] }), [changed, two]);
  }),

  check('`replace` deletes the rows that match, and inserts others', async ({ rows, unitOfWork, add }) => {
    const [other, kept] = [thing('other', { ownerId: bob }), thing('kept')];
    await add(other, thing('gone'), kept);
    const replace = (...next: readonly Thing[]) => unitOfWork.run(() => rows.replace({ ownerId: ada }, next));
    const fresh = thing('new');
    await replace(kept, fresh);
    assert.deepEqual(await rows.find({ where: {}, orderBy: ['id'] }), [other, kept, fresh]);
    await replace();
    assert.deepEqual(await rows.find({ where: {}, orderBy: ['id'] }), [other]);
  }),

  check('of two units of work that `hold` the same members, the second waits', async ({ rows, unitOfWork }) => {
    const seen: string[] = [];
    const run = (name: string) =>
      unitOfWork.run(async () => {
        await rows.hold({ ownerId: ada });
        seen.push(name);
        await turn();
        seen.push(name);
      });
    await Promise.all([run('one'), run('two'), run('three')]);
    assert.deepEqual([seen[0], seen[2], seen[4]], [seen[1], seen[3], seen[5]]);
  }),

  check('rows held by one unit of work are not deleted until it ends', async ({ rows, unitOfWork, add }) => {
    const [kept, other] = [thing('kept'), thing('other')];
    await add(kept, other);
    const held = gate();
    const seen: string[] = [];
    const holding = unitOfWork.run(async () => {
      const query = { where: { ownerId: ada }, among: { id: [kept.id] }, orderBy: ['id'] as const };
      assert.deepEqual(await rows.find(query, 'held'), [kept]);
      held.open();
      // Enough time for a deletion that does not wait.
      for (let looks = 0; looks < 200; looks++) assert.notEqual(await rows.findOne({ id: kept.id }), undefined);
      seen.push('held');
    });
    await Promise.race([held.passed, holding]);
    const deleting = unitOfWork.run(async () => {
      assert.deepEqual(await rows.delete({ id: kept.id }), kept);
      seen.push('deleted');
    });
    await Promise.all([holding, deleting]);
    assert.deepEqual(seen, ['held', 'deleted']);
    const again = { where: {}, among: { id: [kept.id, other.id] }, orderBy: ['id'] as const };
    assert.deepEqual(await unitOfWork.run(() => rows.find(again, 'held')), [other], 'deleted rows are not found');
  }),

  check('an update returns the new row, a deletion the old one', async ({ rows, unitOfWork, add }) => {
    const [one, two] = [thing('one'), thing('two')];
    await add(one, two);
    const closedAt = new Date('2026-02-03T04:05:06.789Z');
    const update = (where: Partial<Thing>, patch: Partial<Thing>) => unitOfWork.run(() => rows.update(where, patch));
    assert.deepEqual(await update({ id: one.id }, { closedAt, tags: [] }), { ...one, closedAt, tags: [] });
    assert.deepEqual(await update({ id: one.id, nameKey: 'one' }, { nameKey: 'new' }), {
      ...one,
      closedAt,
      tags: [],
      nameKey: 'new',
    });
    assert.deepEqual(await update({ id: two.id }, {}), two);
    assert.equal(await update({ id: two.id, ownerId: bob }, { rank: 9 }), undefined);
    assert.deepEqual(await rows.findOne({ id: two.id }), two);
    const remove = (where: Partial<Thing>) => unitOfWork.run(() => rows.delete(where));
    assert.equal(await remove({ id: two.id, ownerId: bob }), undefined);
    assert.deepEqual(await remove({ id: two.id, ownerId: ada }), two);
    assert.equal(await remove({ id: two.id }), undefined);
    assert.notEqual(await rows.findOne({ id: one.id }), undefined, 'others are left alone');
    await add(thing('three'), thing('four'));
    await update({ ownerId: ada }, { rank: 7 });
    assert.equal((await rows.find({ where: { rank: 7 }, orderBy: ['id'] })).length, 1, 'one row, also if more match');
    await remove({ ownerId: ada });
    assert.equal((await rows.find({ where: {}, orderBy: ['id'] })).length, 2, 'one row, also if more match');
  }),

  check(
    'many rows are inserted, changed and deleted at once, and others are unchanged',
    async ({ rows, unitOfWork, add }) => {
      const closedAt = new Date('2026-02-03T04:05:06.789Z');
      const other = thing('other', { ownerId: bob });
      await add(other);
      const all = Array.from({ length: 100 }, (_, index) => thing(`thing ${index}`, { tags: [`a,b "${index}"`] }));
      const inAll = (work: () => Promise<unknown>) => unitOfWork.run(work);
      const found = () => rows.find({ where: {}, orderBy: ['id'] });
      await inAll(() => rows.insertMany(all));
      assert.deepEqual(await found(), [other, ...all]);
      const id = all.slice(0, 60).map((one) => one.id);
      await inAll(() =>
        rows.updateMany({ where: { ownerId: ada }, among: { id: [...id, other.id] } }, { closedAt, tags: [] }),
      );
      const changed = all.map((one, index) => (index < 60 ? { ...one, closedAt, tags: [] } : one));
      assert.deepEqual(await found(), [other, ...changed]);
      await inAll(async () => {
        await rows.insertMany([]);
        await rows.updateMany({ where: {}, among: { id: [] } }, { rank: 9 });
        await rows.deleteMany({ where: {}, among: { id: [] } });
      });
      assert.deepEqual(await found(), [other, ...changed], 'an empty batch changes nothing');
      await inAll(() => rows.deleteMany({ where: { ownerId: ada, closedAt: null }, among: { rank: [0, 1] } }));
      assert.deepEqual(await found(), [other, ...changed.slice(0, 60)]);
      const clash = (error: unknown) => error instanceof Duplicate && error.constraint === 'test_thing_name';
      await assert.rejects(
        inAll(() => rows.insertMany([thing('new'), thing('thing 0')])),
        clash,
      );
      await inAll(() => rows.deleteMany({ where: { ownerId: ada } }));
      assert.deepEqual(await found(), [other]);
    },
  ),

  check('a unique violation is a Duplicate with the name of the constraint', async ({ rows, unitOfWork, add }) => {
    const two = thing('two');
    await add(thing('one'), two, thing('one', { ownerId: bob }));
    const clash = (error: unknown) => error instanceof Duplicate && error.constraint === 'test_thing_name';
    await assert.rejects(add(thing('one')), clash);
    await assert.rejects(
      unitOfWork.run(() => rows.update({ id: two.id }, { nameKey: 'one' })),
      clash,
    );
    assert.deepEqual(await rows.findOne({ id: two.id }), two);
  }),

  check('a rollback undoes every change of a unit of work', async ({ rows, unitOfWork, add }) => {
    const [one, two] = [thing('one'), thing('two')];
    await add(one);
    await assert.rejects(
      unitOfWork.run(async () => {
        await rows.insert(two);
        await rows.delete({ id: one.id });
        assert.equal(
          (await rows.find({ where: {}, orderBy: ['id'] })).length,
          1,
          'a unit of work reads its own writes',
        );
        throw new Error('rolled back');
      }),
      { message: 'rolled back' },
    );
    assert.deepEqual(await rows.find({ where: {}, orderBy: ['id'] }), [one]);
  }),
];
