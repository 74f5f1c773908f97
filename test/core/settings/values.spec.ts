// The effective values of settings: precedence, freshness and number of reads.
import t from 'tap';
import { staleAfter } from '#core/settings/values';
import { gate } from '#test/contracts/checks';
import { declarations, world } from './world.ts';

void t.test('a stored value overrides the configured one, which overrides the default', async (t) => {
  const { get, write } = world({ configured: { 'shop.size': 5 } });
  t.strictSame([await get('shop.size'), await get('shop.name'), await get('shop.open')], [5, 'corner', false]);
  await write({ 'shop.size': '-3', 'shop.name': '', 'shop.open': 'true' });
  t.strictSame([await get('shop.size'), await get('shop.name'), await get('shop.open')], [-3, '', true]);
  await t.rejects(get('shop.hours' as 'shop.name'), { kind: 'not_found', message: 'There is no setting "shop.hours"' });
});

void t.test('a thousand uses in one second take one query, also concurrently', async (t) => {
  const { get, counts, clock } = world();
  await Promise.all(Array.from({ length: 500 }, () => get('shop.size')));
  for (let use = 0; use < 500; use += 1) await get('shop.name');
  t.equal(counts.reads, 1);
  clock.advance(staleAfter - 1);
  await get('shop.size');
  t.equal(counts.reads, 1);
});

void t.test(
  'a value stored by another process applies after its event, and at the latest after a second',
  async (t) => {
    const mine = world();
    const other = world({ memory: mine.memory });
    t.equal(await mine.get('shop.size'), 3);
    await other.write({ 'shop.size': '4' });
    t.equal(await other.get('shop.size'), 4, 'immediately in its own process');
    t.equal(await mine.get('shop.size'), 3);
    mine.forget();
    t.equal(await mine.get('shop.size'), 4, 'told');
    await other.write({ 'shop.size': '5' });
    mine.clock.advance(staleAfter);
    t.equal(await mine.get('shop.size'), 5, 'without an event');
    await other.write({ 'shop.size': '6' });
    mine.clock.advance(-60_000);
    t.equal(await mine.get('shop.size'), 6, 'a clock that is set back does not delay it');
  },
);

void t.test('a read started before a change does not restore the old value', async (t) => {
  const { get, write, slow } = world();
  const { passed, open } = gate();
  slow.read = () => passed;
  const before = get('shop.size');
  slow.read = async () => undefined;
  await write({ 'shop.size': '7' });
  open();
  t.equal(await before, 3, 'started before');
  t.equal(await get('shop.size'), 7);
});

void t.test('a failing read rejects only for its first caller, and the next caller reads again', async (t) => {
  const { get, slow } = world();
  slow.read = async () => {
    slow.read = async () => undefined;
    throw new Error('no database');
  };
  const [first, second] = await Promise.allSettled([get('shop.size'), get('shop.size')]);
  t.match([first, second], [{ status: 'rejected' }, { status: 'fulfilled', value: 3 }]);
  t.equal(await get('shop.size'), 3);
});

void t.test('uncommitted values are not cached', async (t) => {
  const { get, storage, stored, clock } = world();
  const row = { key: 'shop.size', text: '8', sealed: false, updatedAt: clock.now() };
  await t.rejects(
    storage.unitOfWork.run(async () => {
      await stored.put(row, 'shop');
      t.equal(await get('shop.size'), 8);
      throw new Error('no');
    }),
    { message: 'no' },
  );
  t.equal(await get('shop.size'), 3);
});

void t.test(
  'a stored value that became invalid by an upgrade is replaced by the configured one and logged once',
  async (t) => {
    const before = world();
    await before.write({ 'shop.size': '9', 'shop.secret': 'hunter2', 'shop.name': 'a longer name' });
    const narrower = declarations.map((declared) => {
      if (declared.key === 'shop.size') return { ...declared, max: 8 } as typeof declared;
      if (declared.key === 'shop.secret') return { ...declared, maxLength: 3 } as typeof declared;
      if (declared.key === 'shop.name') return { ...declared, type: 'boolean', default: true } as typeof declared;
      return declared;
    });
    const after = world({ memory: before.memory, declared: narrower, configured: { 'shop.size': 6 } });
    await after.sealed.reseal();
    for (let use = 0; use < 3; use += 1) {
      after.forget();
      t.strictSame([await after.get('shop.size'), await after.get('shop.name')], [6, true]);
      t.equal(await after.get('shop.secret'), '');
    }
    t.strictSame(
      after.warnings.toSorted(),
      [
        '{"setting":"shop.name","plugin":"shop"} the stored value must be true or false; the configured or default one counts instead',
        '{"setting":"shop.secret","plugin":"shop"} the stored value must be a text of at most 3 characters; the configured or default one counts instead',
        '{"setting":"shop.size","plugin":"shop"} the stored value must be a whole number from -5 to 8; the configured or default one counts instead',
      ],
      'no value is in the log',
    );
    await after.write({ 'shop.size': '7' });
    t.equal(await after.get('shop.size'), 7, 'can be overwritten');
  },
);

void t.test('stored values of a disabled plugin are kept, and apply again when it is enabled', async (t) => {
  const on = world();
  await on.write({ 'shop.size': '9' });
  const off = world({ memory: on.memory, declared: [] });
  await t.rejects(off.get('shop.size'), { name: 'NotFound' });
  t.strictSame(await off.administration.list(off.call), []);
  await t.rejects(off.write({ 'shop.size': '8' }), { name: 'NotFound' });
  t.equal(await world({ memory: on.memory }).get('shop.size'), 9);
});

void t.test('a sensitive value is stored sealed, opens only for its own key, and a lost one is logged', async (t) => {
  const sealed = world();
  await sealed.write({ 'shop.secret': 'hünter2' });
  t.equal(await sealed.get('shop.secret'), 'hünter2');
  const [row] = await sealed.stored.all();
  t.match(row, { key: 'shop.secret', sealed: true });
  t.notMatch(JSON.stringify(row), 'nter2');

  const elsewhere = world({ memory: sealed.memory, keys: [1] });
  t.equal(await elsewhere.get('shop.secret'), '');
  t.match(elsewhere.warnings, [/must be sealed as this setting under a secret key of this instance/]);

  await sealed.storage.unitOfWork.run(() =>
    sealed.stored.put({ key: 'shop.name', text: row?.text ?? '', sealed: true, updatedAt: sealed.clock.now() }, 'shop'),
  );
  sealed.forget();
  t.equal(await sealed.get('shop.name'), 'corner', 'one that was copied to another key');
  t.match(sealed.warnings, [/must be sealed as this setting under a secret key/]);
});

void t.test('a value stored in plain text is sealed at the start once its setting is sensitive', async (t) => {
  const before = world();
  await before.write({ 'shop.name': 'hunter2' });
  const declared = declarations.map((one) => (one.key === 'shop.name' ? { ...one, sensitive: true } : one));
  const after = world({ memory: before.memory, declared });
  await after.sealed.reseal();
  const [row] = await after.stored.all();
  t.notMatch(JSON.stringify(row), 'hunter2');
  t.equal(await after.get('shop.name'), 'hunter2');
  const text = row?.text;
  await after.sealed.reseal();
  t.equal((await after.stored.all())[0]?.text, text, 'once');
});

void t.test('after a key rotation sensitive values are resealed, also those of disabled plugins', async (t) => {
  const before = world();
  await before.write({ 'shop.secret': 'hunter2', 'shop.name': 'corner shop' });
  const rotated = { memory: before.memory, keys: [1, 0] };
  const off = world({ ...rotated, declared: [] });
  t.equal(await off.sealed.reseal(), 1);
  t.equal(await off.sealed.reseal(), 0);
  const after = world({ memory: before.memory, keys: [1] });
  t.equal(await after.get('shop.secret'), 'hunter2', 'without the old key');
  t.equal(await after.get('shop.name'), 'corner shop');
  const lost = world({ memory: before.memory, keys: [2] });
  t.equal(await lost.sealed.reseal(), 0, 'a value that no key opens is unchanged');
  t.equal(await after.get('shop.secret'), 'hunter2');
});
