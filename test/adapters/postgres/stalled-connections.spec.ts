// Connections without a reply are destroyed after a time limit; busy connections are not.
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { givingUpStalled, liftBound, type StallingClient } from '#adapters/postgres/statements/stalled-connections';

const timeLimit = 60;

/** A client whose replies are given by the test, in the order of the statements. */
function client() {
  const waiting: (() => void)[] = [];
  const asked: unknown[] = [];
  let destroyed = false;
  const fake: StallingClient = {
    query: (statement) => {
      asked.push(statement);
      return new Promise<void>((resolve) => waiting.push(resolve));
    },
    connection: { stream: { destroy: () => void (destroyed = true) } },
  };
  givingUpStalled(timeLimit, 5000)(fake);
  const reply = async (): Promise<void> => {
    waiting.shift()?.();
    await Promise.resolve();
  };
  return { ask: (statement: string) => void fake.query(statement), reply, asked, destroyed: () => destroyed };
}

void t.test('a connection is destroyed', async (t) => {
  await t.test('when the reply to its statement is missing', async (t) => {
    const { ask, reply, destroyed } = client();
    ask('select 1');
    await reply();
    ask('select 2');
    await pause(2 * timeLimit);
    t.ok(destroyed());
  });

  await t.test('when the second of two statements has no reply within its own time limit', async (t) => {
    const { ask, reply, destroyed } = client();
    ask('select 1');
    ask('select 2');
    await pause(timeLimit / 2);
    await reply();
    await pause((timeLimit * 3) / 4);
    t.notOk(destroyed());
    await pause(timeLimit);
    t.ok(destroyed());
  });

  await t.test('but not while replies to many statements arrive', async (t) => {
    const { ask, reply, destroyed } = client();
    for (let n = 0; n < 10; n += 1) {
      ask(`select ${n}`);
      await pause(timeLimit / 4);
      await reply();
    }
    await pause(2 * timeLimit);
    t.notOk(destroyed());
  });

  await t.test('but not during a migration, until the next transaction', async (t) => {
    const { ask, reply, asked, destroyed } = client();
    ask('begin');
    await reply();
    ask(liftBound);
    await reply();
    ask('alter table large');
    await pause(2 * timeLimit);
    await reply();
    t.notOk(destroyed());
    t.equal(asked[1], 'set local statement_timeout = 5000');
    ask('begin');
    await pause(2 * timeLimit);
    t.ok(destroyed());
  });
});
