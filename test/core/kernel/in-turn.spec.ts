// A turn at a lock that is waited for no longer than a time.
import t from 'tap';
import { openMemory, systemClock, systemIds } from '#adapters/memory/index';
import { Unavailable } from '#core/kernel/errors';
import { inTurn } from '#core/kernel/in-turn';
import { gate } from '#test/contracts/checks';
import { quietLog } from '#test/contracts/storage-engines';

void t.test('a turn at a lock', async (t) => {
  const { locks } = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  // A timeout alone keeps no process.
  const awake = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(awake));
  const go = gate();
  const holding = locks.exclusive('held', () => go.passed);
  const late = () => t.fail('it had no turn');

  await t.test('that does not come in time is refused, and what was to be done is not', async (t) => {
    await t.rejects(
      inTurn({ locks, name: 'held', waitMs: 5 }, async () => late()),
      {
        kind: 'unavailable',
        message: 'Another change took too long; nothing was changed',
      },
    );
    const own = new Unavailable('busy');
    await t.rejects(
      inTurn({ locks, name: 'held', waitMs: 5, busy: () => own }, async () => late()),
      own,
    );
  });

  await t.test('of who has left ends with the reason of that', async (t) => {
    const left = new Error('left');
    const leaving = new AbortController();
    const waiting = inTurn({ locks, name: 'held', signal: leaving.signal }, async () => late());
    leaving.abort(left);
    await t.rejects(waiting, left);
  });

  await t.test('once it came may take its time, and fails as its work does', async (t) => {
    const failure = new Error('no');
    const working = inTurn({ locks, name: 'free', waitMs: 5 }, async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
      throw failure;
    });
    await t.rejects(working, failure);
    go.open();
    await holding;
    t.equal(await inTurn({ locks, name: 'held' }, async () => 'mine'), 'mine');
  });
});
