// What one caller sends at once to a busy server begins one after the other.
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { ChangesInTurn } from '#adapters/http/changes-in-turn';

const long = 60_000;
const bounds = { turn: long, patience: long, alone: long } as const;

/**
 * Runs `count` changes of a caller that end when they are told to.
 * @param beside who has asked for something before.
 */
function changes(turns: ChangesInTurn, caller: string, count: number, beside = ['somebody', caller]) {
  for (const each of beside) turns.asks(each);
  const begun: (() => void)[] = [];
  const all = Array.from({ length: count }, () =>
    turns.run(caller, () => new Promise<void>((resolve) => begun.push(resolve))),
  );
  return { begun, all: Promise.all(all) };
}

void t.test('changes in turn', async (t) => {
  await t.test('while the event loop is busy, one of a caller is under way, and of everybody', async (t) => {
    const turns = new ChangesInTurn(() => true, bounds);
    const many = changes(turns, 'many', 5);
    const other = changes(turns, 'other', 1);
    await pause(5);
    t.strictSame([many.begun.length, other.begun.length], [1, 1]);
    for (let ended = 0; ended < 5; ended += 1) {
      many.begun[ended]?.();
      await pause(1);
      t.equal(many.begun.length, Math.min(ended + 2, 5));
    }
    other.begun[0]?.();
    await Promise.all([many.all, other.all]);
  });

  await t.test('while it is not, all are', async (t) => {
    const { begun, all } = changes(new ChangesInTurn(() => false), 'many', 50);
    await pause(1);
    t.equal(begun.length, 50);
    for (const end of begun) end();
    await all;
  });

  await t.test('of a caller who is alone, all are', async (t) => {
    const turns = new ChangesInTurn(() => true, { ...bounds, alone: 20 });
    const never = changes(turns, 'alone', 5, ['alone']);
    await pause(1);
    t.equal(never.begun.length, 5, 'nobody else has asked for anything');
    turns.asks('somebody');
    await pause(25);
    const since = changes(turns, 'alone', 5, []);
    await pause(1);
    t.equal(since.begun.length, 5, 'nobody else of late');
    turns.asks('alone');
    const beside = changes(turns, 'alone', 5, []);
    await pause(1);
    t.equal(beside.begun.length, 1, 'somebody else just now');
    for (const end of [...never.begun, ...since.begun]) end();
    for (let ended = 0; ended < 5; ended += 1) {
      beside.begun[ended]?.();
      await pause(1);
    }
    await Promise.all([never.all, since.all, beside.all]);
  });

  await t.test('one that takes long does not keep the next one waiting for its end', async (t) => {
    const { begun, all } = changes(new ChangesInTurn(() => true, { ...bounds, turn: 10 }), 'many', 3);
    while (begun.length < 3) await pause(1);
    t.equal(begun.length, 3);
    for (const end of begun) end();
    await all;
  });

  await t.test('nobody is refused: whoever has waited for long, or of too many, begins', async (t) => {
    const turns = new ChangesInTurn(() => true, { ...bounds, patience: 20 });
    const { begun, all } = changes(turns, 'many', 1500);
    await pause(5);
    t.ok(begun.length >= 499, `${begun.length} have found no place to wait`);
    while (begun.length < 1500) await pause(1);
    for (const end of begun) end();
    await all;
  });

  await t.test('one that fails ends its turn', async (t) => {
    const turns = new ChangesInTurn(() => true, bounds);
    const failing = turns.run('many', () => Promise.reject(new Error('no')));
    const next = turns.run('many', async () => 'done');
    await t.rejects(failing, { message: 'no' });
    t.equal(await next, 'done');
  });

  await t.test('the loop is busy when it has worked for most of the last moments', async (t) => {
    const turns = new ChangesInTurn();
    await pause(120);
    const idle = changes(turns, 'many', 3);
    await pause(1);
    t.equal(idle.begun.length, 3);
    for (let round = 0; round < 30; round += 1) {
      for (const end = performance.now() + 10; performance.now() < end;);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const busy = changes(turns, 'many', 3);
    await pause(1);
    t.equal(busy.begun.length, 1);
    for (const end of idle.begun) end();
    for (let ended = 0; ended < 3; ended += 1) {
      busy.begun[ended]?.();
      await pause(1);
    }
    await Promise.all([idle.all, busy.all]);
  });
});
