// A commit during which the database connection fails: the outcome is found by its event, or reported as unknown if
// there is no event.
import t from 'tap';
import type { Orm } from '#adapters/postgres/connection/orm';
import { Transactions } from '#adapters/postgres/transactions/unit-of-work';
import { InsufficientStorage, Unavailable } from '#core/kernel/errors';
import type { EventOf } from '#core/kernel/storage/events';

/** Transactions in which every commit fails. */
function transactions(failure: Error, saved: boolean): Transactions {
  const nothing = async (): Promise<void> => undefined;
  const em = {
    begin: nothing,
    flush: nothing,
    rollback: nothing,
    commit: () => Promise.reject(failure),
    getTransactionContext: () => undefined,
  };
  return new Transactions({
    orm: { em: { fork: () => em } } as unknown as Orm,
    outbox: { write: nothing, committed: () => undefined, arrived: async () => saved },
    deadline: 1000,
  });
}
const event = { id: '1', type: 'sample.happened', aggregate: 'sample:1', payload: {}, at: new Date(0) };

for (const failure of [new Unavailable('away'), new InsufficientStorage('full')]) {
  void t.test(`a commit during which the connection fails (${failure.message})`, async (t) => {
    const run = (saved: boolean, events: boolean): Promise<string> => {
      const unit = transactions(failure, saved);
      return unit.run(async () => {
        if (events) unit.record(event as unknown as EventOf);
        return 'done';
      });
    };
    t.equal(await run(true, true), 'done', 'its event exists');
    await t.rejects(run(false, true), failure, 'its event does not exist');
    await t.rejects(run(false, false), { name: 'Unavailable', message: /may have been saved, or not$/ }, 'no event');
  });
}
