// Waiting for a lock with a time limit.
import t from 'tap';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import { Unavailable } from '#core/kernel/errors';
import { withLock } from '#core/kernel/storage/with-lock';
import { gate } from '#test/contracts/checks';
import { quietLog } from '#test/contracts/storage/storage-engines';

void t.test('waiting for a lock', async (t) => {
  const { locks } = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  // A timeout alone keeps no process alive.
  const awake = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(awake));
  const go = gate();
  const holding = locks.exclusive('held', () => go.passed);
  const late = () => t.fail('the work was run');

  await t.test('that is not free within the time limit rejects without running the work', async (t) => {
    await t.rejects(
      withLock({ locks, name: 'held', waitMs: 5 }, async () => late()),
      {
        kind: 'unavailable',
        message: 'Another change took too long; nothing was changed',
      },
    );
    const own = new Unavailable('busy');
    await t.rejects(
      withLock({ locks, name: 'held', waitMs: 5, busy: () => own }, async () => late()),
      own,
    );
  });

  await t.test('with an aborted signal rejects with its reason', async (t) => {
    const left = new Error('left');
    const leaving = new AbortController();
    const waiting = withLock({ locks, name: 'held', signal: leaving.signal }, async () => late());
    leaving.abort(left);
    await t.rejects(waiting, left);
  });

  await t.test('has no time limit once it is acquired, and rejects as its work does', async (t) => {
    const failure = new Error('no');
    const working = withLock({ locks, name: 'free', waitMs: 5 }, async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
      throw failure;
    });
    await t.rejects(working, failure);
    go.open();
    await holding;
    t.equal(await withLock({ locks, name: 'held' }, async () => 'mine'), 'mine');
  });
});
