// The rules shared by named items of a repository, on in-memory stores.
import t from 'tap';
import { openMemory, sequentialIds } from '#adapters/memory/index';
import { systemClock } from '#adapters/system/time';
import type { Granted, User } from '#core/kernel/index';
import { itemName, repositoryItems, type NamedItem, type Repository } from '#core/repositories/index';
import { rows } from '#host/ready-made/rows';
import { LabelTable } from '#plugins/planning/tables';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const caller = { kind: 'user', id: 'alice-id' };
const granted = (id: string) => ({ resource: { id }, call: { caller } }) as Granted<Repository, string, User>;
const [one, two] = [granted('one'), granted('two')];
const refusal = (kind: string) => ({ kind, message: /bell/ });

function world(most?: number) {
  const ids = sequentialIds();
  const storage = openMemory({ clock: systemClock, ids, log });
  const told: unknown[] = [];
  const uniques = { bell_name: ['repositoryId', 'nameKey'] } as const;
  const items = repositoryItems<NamedItem>({
    noun: 'bell',
    rows: rows<NamedItem>(LabelTable, { uniques }).memory(storage.database),
    ...(most !== undefined && { most }),
    tell: async (change, about) => told.push([change, about]),
    unitOfWork: storage.unitOfWork,
    ids,
  });
  return { items, told, unitOfWork: storage.unitOfWork, close: () => storage.close() };
}

void t.test('a name is one line of bounded length without surrounding blanks, compared in lower case', async (t) => {
  t.same(itemName('Größe: XL', 9), { name: 'Größe: XL', nameKey: 'größe: xl' });
  for (const name of ['', ' ', ' a', 'a ', '\u00a0a', 'a\tb', 'a\u0000', '1234567890'])
    t.throws(
      () => itemName(name, 9),
      { kind: 'validation_failed', message: /./, detail: /"name".*9/ },
      JSON.stringify(name),
    );
});

void t.test('each change emits one event of its repository; an update without a change emits none', async (t) => {
  const { items, told, close } = world();
  t.teardown(close);
  const bell = await items.create(one, itemName('Big', 9));
  t.same(bell, { id: bell.id, repositoryId: 'one', name: 'Big', nameKey: 'big' });
  t.same(await items.update(one, bell.id, () => ({})), bell);
  const renamed = { ...bell, ...itemName('Small', 9) };
  t.same(await items.update(one, bell.id, (before) => itemName(before.name === 'Big' ? 'Small' : '', 9)), renamed);
  t.same(await items.fetch(one, bell), renamed);
  t.same(await items.delete(one, { nameKey: 'small' }), renamed);
  const about = {
    aggregate: 'repository:one',
    actorId: 'alice-id',
    payload: { repository_id: 'one', id: bell.id },
  };
  t.same(
    told,
    ['created', 'updated', 'deleted'].map((change) => [change, about]),
  );
});

void t.test('items of another repository are not found, and their names are free', async (t) => {
  const { items, told, close } = world();
  t.teardown(close);
  const [bell, other] = [await items.create(one, itemName('a', 9)), await items.create(two, itemName('A', 9))];
  told.length = 0;
  for (const refused of [
    () => items.fetch(two, bell),
    () => items.update(two, bell.id, () => itemName('b', 9)),
    () => items.delete(two, { id: bell.id }),
    () => items.delete(two, { id: bell.id, repositoryId: 'one' }),
  ])
    await t.rejects(refused(), refusal('not_found'));
  t.same(await items.byIds('one', [other.id, bell.id, 'nothing', bell.id]), new Map([[bell.id, bell]]));
  t.same(await items.byIds('one', []), new Map());
  t.same(told, []);
});

void t.test('a taken name is rejected for a new and for a renamed item, without an event', async (t) => {
  const { items, told, unitOfWork, close } = world();
  t.teardown(close);
  await items.create(one, itemName('a', 9));
  const { id } = await items.create(one, itemName('b', 9));
  told.length = 0;
  await t.rejects(items.create(one, itemName('B', 9)), refusal('conflict'));
  await t.rejects(
    unitOfWork.run(() => items.add(one, itemName('B', 9))),
    refusal('conflict'),
  );
  await t.rejects(
    items.update(one, id, () => itemName('A', 9)),
    refusal('conflict'),
  );
  t.same(told, []);
  t.same(await items.update(one, id, () => itemName('B', 9)), { id, repositoryId: 'one', ...itemName('B', 9) });
});

void t.test(
  'a repository has a maximum number of items, deletion makes room, and the maximum is optional',
  async (t) => {
    const { items, close } = world(2);
    const unbounded = world();
    t.teardown(close);
    t.teardown(unbounded.close);
    const bell = await items.create(one, itemName('a', 9));
    await items.create(one, itemName('b', 9));
    await t.rejects(items.create(one, itemName('c', 9)), refusal('unprocessable'));
    await items.create(two, itemName('c', 9));
    await items.delete(one, { id: bell.id });
    await items.create(one, itemName('c', 9));
    for (const name of ['a', 'b', 'c']) await unbounded.items.create(one, itemName(name, 9));
    t.equal(await unbounded.unitOfWork.run(() => unbounded.items.turn(one)), 3);
  },
);
