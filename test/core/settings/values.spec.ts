// The values in effect: where they come from, how fresh they are, what they cost.
import t from 'tap';
import { staleAfter } from '#core/settings/values';
import { gate } from '#test/contracts/checks';
import { declarations, world } from './world.ts';

void t.test('a stored value goes over the configured one, and that over the default', async (t) => {
  const { get, write } = world({ configured: { 'shop.size': 5 } });
  t.strictSame([await get('shop.size'), await get('shop.name'), await get('shop.open')], [5, 'corner', false]);
  await write({ 'shop.size': '-3', 'shop.name': '', 'shop.open': 'true' });
  t.strictSame([await get('shop.size'), await get('shop.name'), await get('shop.open')], [-3, '', true]);
  await t.rejects(get('shop.hours' as 'shop.name'), { kind: 'not_found', message: 'There is no setting "shop.hours"' });
});

void t.test('asking costs no query: a thousand uses in one second are one read, also all at once', async (t) => {
  const { get, counts, clock } = world();
  await Promise.all(Array.from({ length: 500 }, () => get('shop.size')));
  for (let use = 0; use < 500; use += 1) await get('shop.name');
  t.equal(counts.reads, 1);
  clock.advance(staleAfter - 1);
  await get('shop.size');
  t.equal(counts.reads, 1);
});

void t.test('what another process stored counts when it is told, and at the latest a second later', async (t) => {
  const mine = world();
  const other = world({ memory: mine.memory });
  t.equal(await mine.get('shop.size'), 3);
  await other.write({ 'shop.size': '4' });
  t.equal(await other.get('shop.size'), 4, 'at once where it was made');
  t.equal(await mine.get('shop.size'), 3);
  mine.forget();
  t.equal(await mine.get('shop.size'), 4, 'told');
  await other.write({ 'shop.size': '5' });
  mine.clock.advance(staleAfter);
  t.equal(await mine.get('shop.size'), 5, 'never told');
  await other.write({ 'shop.size': '6' });
  mine.clock.advance(-60_000);
  t.equal(await mine.get('shop.size'), 6, 'nor does a clock that is set back make it wait');
});

void t.test('a read that began before a change does not bring the old value back', async (t) => {
  const { get, write, slow } = world();
  const { passed, open } = gate();
  slow.read = () => passed;
  const before = get('shop.size');
  slow.read = async () => undefined;
  await write({ 'shop.size': '7' });
  open();
  t.equal(await before, 3, 'asked before');
  t.equal(await get('shop.size'), 7);
});

void t.test('a read that fails fails for who asked first alone, and the next one reads anew', async (t) => {
  const { get, slow } = world();
  slow.read = async () => {
    slow.read = async () => undefined;
    throw new Error('no database');
  };
  const [first, second] = await Promise.allSettled([get('shop.size'), get('shop.size')]);
  t.match([first, second], [{ status: 'rejected' }, { status: 'fulfilled', value: 3 }]);
  t.equal(await get('shop.size'), 3);
});

void t.test('what is not committed is not kept', async (t) => {
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
  'a stored value that fits no more, after an upgrade, gives way to the configured one and is told once',
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
      'and no value is in the log',
    );
    await after.write({ 'shop.size': '7' });
    t.equal(await after.get('shop.size'), 7, 'and is replaced as any other');
  },
);

void t.test('what a plugin has stored stays while it is off, and counts again when it is on', async (t) => {
  const on = world();
  await on.write({ 'shop.size': '9' });
  const off = world({ memory: on.memory, declared: [] });
  await t.rejects(off.get('shop.size'), { name: 'NotFound' });
  t.strictSame(await off.administration.list(off.call), []);
  await t.rejects(off.write({ 'shop.size': '8' }), { name: 'NotFound' });
  t.equal(await world({ memory: on.memory }).get('shop.size'), 9);
});

void t.test('a sensitive value is sealed at rest, opens under its own key alone, and a lost one is told', async (t) => {
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
  t.equal(await sealed.get('shop.name'), 'corner', 'one that was copied under another key');
  t.match(sealed.warnings, [/must be sealed as this setting under a secret key/]);
});

void t.test('what was stored in the open is sealed at the start once its setting is sensitive', async (t) => {
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

void t.test('after a rotation sensitive values are sealed again, those of plugins that are off too', async (t) => {
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
  t.equal(await lost.sealed.reseal(), 0, 'what no key opens stays as it is');
  t.equal(await after.get('shop.secret'), 'hunter2');
});
