// Reading and writing settings as an administrator: bounds, masks, batches, audit entries and events.
import t from 'tap';
import { declarations, world } from './world.ts';

void t.test('a setting is returned as text with its default; a sensitive one is masked', async (t) => {
  const { administration, call, write } = world({ configured: { 'shop.size': 5 } });
  await write({ 'shop.secret': 'hunter2', 'shop.open': 'true' });
  t.strictSame(await administration.list(call), [
    { key: 'shop.name', value: 'corner', description: 'What it is called', sensitive: false, default: 'corner' },
    { key: 'shop.open', value: 'true', description: 'Whether it is open', sensitive: false, default: 'false' },
    { key: 'shop.secret', value: '********', description: 'What nobody may know', sensitive: true, default: '' },
    { key: 'shop.size', value: '5', description: 'How large', sensitive: false, default: '3' },
  ]);
  t.match(await administration.fetch(call, { key: 'shop.size' }), { key: 'shop.size', value: '5', default: '3' });
  await t.rejects(administration.fetch(call, { key: 'shop.hours' }), { name: 'NotFound' });
});

void t.test('an administrator reads the stored values, not the cached ones', async (t) => {
  const mine = world();
  const other = world({ memory: mine.memory });
  t.equal(await mine.get('shop.size'), 3);
  await other.write({ 'shop.size': '4' });
  t.match(await mine.administration.fetch(mine.call, { key: 'shop.size' }), { value: '4' });
  t.match(await mine.administration.list(mine.call), [{}, {}, {}, { value: '4' }]);
});

void t.test('a value is accepted only within its bounds and in its canonical form', async (t) => {
  const { write, get } = world();
  const good = {
    'shop.size': ['9', '-5', '0'],
    'shop.open': ['true', 'false'],
    'shop.name': ['', 'x'.repeat(20), '********'],
  } as const;
  const bad = {
    'shop.size': [
      '10',
      '-6',
      '',
      ' 3',
      '03',
      '+3',
      '-0',
      '3.0',
      '3e0',
      '0x3',
      '٣',
      'true',
      '1e309',
      '99999999999999999999',
    ],
    'shop.open': ['', 'TRUE', 'yes', '1', ' true', 'null'],
    'shop.name': ['x'.repeat(21)],
  } as const;
  for (const [key, values] of Object.entries(good))
    for (const value of values) {
      t.strictSame(await write({ [key]: value }), [{ key, value }]);
      t.equal(String(await get(key as keyof typeof good)), value);
    }
  for (const [key, values] of Object.entries(bad))
    for (const value of values)
      await t.rejects(
        write({ [key]: value }),
        { name: 'Unprocessable', detail: new RegExp(`^"${key}" must be `) },
        value,
      );
});

void t.test('writing the mask leaves a sensitive value unchanged', async (t) => {
  const { write, get, entries } = world();
  await write({ 'shop.secret': 'hunter2' });
  t.strictSame(await write({ 'shop.secret': '********' }), [{ key: 'shop.secret', value: '********' }]);
  t.equal(await get('shop.secret'), 'hunter2');
  t.equal(entries.length, 1);
});

void t.test('a batch with one bad value, unknown key or repeated key writes nothing', async (t) => {
  const { write, administration, call, stored, entries } = world();
  const first = { key: 'shop.size', value: '4' };
  for (const [second, name] of [
    [{ key: 'shop.open', value: 'perhaps' }, 'Unprocessable'],
    [{ key: 'shop.hours', value: '1' }, 'NotFound'],
    [{ key: 'shop.size', value: '5' }, 'ValidationFailed'],
  ] as const)
    await t.rejects(administration.write(call, [first, second]), { name });
  t.strictSame([await stored.all(), entries], [[], []]);
  t.strictSame(await write({ 'shop.size': '4', 'shop.secret': 'hunter2', 'shop.open': 'true' }), [
    { key: 'shop.size', value: '4' },
    { key: 'shop.secret', value: '********' },
    { key: 'shop.open', value: 'true' },
  ]);
  t.strictSame(await write({}), []);
});

void t.test('each change writes its audit entry and event; an unchanged value writes none', async (t) => {
  const { write, entries, events, listen, storage } = world({ configured: { 'shop.size': 5 } });
  await listen();
  await write({ 'shop.size': '4', 'shop.secret': 'hunter2' });
  await write({ 'shop.size': '4', 'shop.secret': 'hunter2' });
  await write({ 'shop.size': '6' });
  t.strictSame(
    entries.map(({ actorUsername, action, resource, details }) => [actorUsername, action, resource, details]),
    [
      ['ada', 'setting.updated', 'setting:shop.size', { from: 5, to: 4 }],
      ['ada', 'setting.updated', 'setting:shop.secret', { sensitive: true }],
      ['ada', 'setting.updated', 'setting:shop.size', { from: 4, to: 6 }],
    ],
  );
  await storage.drained();
  t.strictSame(events.map(({ aggregate, payload }) => [aggregate, payload]).toSorted(), [
    ['setting:shop.secret', { key: 'shop.secret' }],
    ['setting:shop.size', { key: 'shop.size' }],
    ['setting:shop.size', { key: 'shop.size' }],
  ]);
});

void t.test(
  'a value equal to the configured one is stored, and stays when the configured one is removed',
  async (t) => {
    const configured = world({ configured: { 'shop.size': 5 } });
    await configured.write({ 'shop.size': '5' });
    t.equal(await world({ memory: configured.memory }).get('shop.size'), 5);
  },
);

void t.test('a failing audit entry rolls back the whole batch', async (t) => {
  let appended = 0;
  const { write, get, stored, events, listen, storage } = world({
    audit: async () => {
      appended += 1;
      if (appended === 2) throw new Error('no room');
    },
  });
  await listen();
  await t.rejects(write({ 'shop.size': '4', 'shop.open': 'true' }), { message: 'no room' });
  t.strictSame([await stored.all(), await get('shop.size'), await get('shop.open')], [[], 3, false]);
  await storage.drained();
  t.strictSame(events, []);
});

void t.test(
  'a value stored while its setting was sensitive is in no audit entry after the setting is not sensitive any more',
  async (t) => {
    const before = world();
    await before.write({ 'shop.secret': 'hunter2' });
    const declared = declarations.map(({ sensitive: _, ...open }) => open);
    const after = world({ memory: before.memory, declared });
    await after.write({ 'shop.secret': 'a word' });
    await after.write({ 'shop.secret': 'another' });
    t.strictSame(
      after.entries.map(({ details }) => details),
      [{ sensitive: true }, { from: 'a word', to: 'another' }],
    );
  },
);
