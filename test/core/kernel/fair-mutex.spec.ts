// A mutex per key with fair queuing between callers and a bounded queue.
import t from 'tap';
import { Unavailable } from '#core/kernel/errors';
import { FairMutex } from '#core/kernel/limits/fair-limiter';
import { gate } from '#test/contracts/checks';

void t.test('a mutex with fair queuing', async (t) => {
  let caller: string | undefined;
  const mutex = new FairMutex(() => caller);
  const order: string[] = [];
  const asked = (whose: string | undefined, work: () => Promise<unknown> = async () => undefined) => {
    caller = whose;
    return mutex.run('branch', async () => {
      await work();
      order.push(whose ?? 'server');
    });
  };

  await t.test('runs a request of another caller before the rest of a burst', async (t) => {
    const done = gate();
    const all = [asked('many', () => done.passed), ...Array.from({ length: 50 }, () => asked('many')), asked('one')];
    done.open();
    await Promise.all(all);
    t.equal(order.indexOf('one'), 1);
    t.equal(order.length, 52);
  });

  await t.test('rejects only a caller with too many queued requests', async (t) => {
    const done = gate();
    const all = [asked('many', () => done.passed), ...Array.from({ length: 500 }, () => asked('many'))];
    const refused: unknown = await asked('many').catch((error: unknown) => error);
    if (!(refused instanceof Unavailable)) throw refused;
    t.equal(refused.message, 'Too many changes of yours wait for the same thing');
    all.push(asked('one'), asked(undefined));
    done.open();
    t.equal((await Promise.all(all)).length, 503);
  });
});
