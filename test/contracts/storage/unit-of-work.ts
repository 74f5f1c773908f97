// Contract checks for UnitOfWork, run through the stores of a small plugin.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Duplicate } from '#core/kernel/errors';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { type Check, gate, turn } from '../checks.ts';
import type { Account, Ledger } from './ledger.ts';

export interface UnitOfWorkProvider extends Ledger {
  readonly unitOfWork: UnitOfWork;
}

const account = (values: Partial<Account> = {}): Account => ({
  id: randomUUID(),
  name: `account ${randomUUID()}`,
  balance: 0,
  ...values,
});

export const unitOfWorkChecks: readonly Check<UnitOfWorkProvider>[] = [
  {
    name: 'writes are stored when the promise resolves, and run returns the value of the work',
    async run({ unitOfWork, accounts, journal }) {
      const one = account({ balance: 7 });
      assert.equal(
        await unitOfWork.run(async () => {
          await accounts.add(one);
          await journal.append(randomUUID(), one.name);
          return 'value';
        }),
        'value',
      );
      assert.deepEqual(await accounts.find(one.id), one);
      assert.deepEqual(await journal.texts(one.name), [one.name]);
    },
  },
  {
    name: 'a rejection rolls back the rows of every store together, and is rethrown unchanged',
    async run({ unitOfWork, accounts, journal }) {
      const kept = account({ balance: 1 });
      await unitOfWork.run(() => accounts.add(kept));
      const one = account();
      const reason = new Error('changed my mind');
      await assert.rejects(
        unitOfWork.run(async () => {
          await accounts.add(one);
          await journal.append(randomUUID(), one.name);
          await accounts.setBalance(kept.id, 2);
          throw reason;
        }),
        (error) => error === reason,
      );
      assert.equal(await accounts.find(one.id), undefined);
      assert.deepEqual(await journal.texts(one.name), []);
      assert.deepEqual(await accounts.find(kept.id), kept);
    },
  },
  {
    name: 'a deletion is rolled back too',
    async run({ unitOfWork, accounts }) {
      const one = account();
      await unitOfWork.run(() => accounts.add(one));
      await assert.rejects(
        unitOfWork.run(async () => {
          await accounts.remove(one.id);
          throw new Error('no');
        }),
      );
      assert.deepEqual(await accounts.find(one.id), one);
      await unitOfWork.run(() => accounts.remove(one.id));
      assert.equal(await accounts.find(one.id), undefined);
    },
  },
  {
    name: 'a unique violation is a Duplicate with the name of the constraint, and rolls back the rest',
    async run({ unitOfWork, accounts, journal }) {
      const first = account();
      await unitOfWork.run(() => accounts.add(first));
      const text = `clash ${randomUUID()}`;
      await assert.rejects(
        unitOfWork.run(async () => {
          await journal.append(randomUUID(), text);
          await accounts.add(account({ name: first.name }));
        }),
        (error) => error instanceof Duplicate && error.constraint === 'ledger_account_name',
      );
      assert.deepEqual(await journal.texts(text), []);
    },
  },
  {
    name: 'a unit of work that swallowed a Duplicate still rejects',
    async run({ unitOfWork, journal }) {
      const id = randomUUID();
      const text = `swallowed ${randomUUID()}`;
      await unitOfWork.run(() => journal.append(id, 'taken'));
      await assert.rejects(
        unitOfWork.run(async () => {
          await journal.append(randomUUID(), text);
          await journal.append(id, text).catch(() => undefined);
        }),
      );
      assert.deepEqual(await journal.texts(text), []);
    },
  },
  {
    name: 'a name is free again after the unit of work that took it was rolled back',
    async run({ unitOfWork, accounts }) {
      const one = account();
      await assert.rejects(
        unitOfWork.run(async () => {
          await accounts.add(one);
          throw new Error('no');
        }),
      );
      const other = account({ name: one.name });
      await unitOfWork.run(() => accounts.add(other));
      assert.deepEqual(await accounts.find(other.id), other);
    },
  },
  {
    name: 'a nested unit of work is refused, and the outer one continues',
    async run({ unitOfWork, accounts }) {
      const one = account();
      await unitOfWork.run(async () => {
        await assert.rejects(
          unitOfWork.run(async () => 'inner'),
          /do not nest/,
        );
        await accounts.add(one);
      });
      assert.deepEqual(await accounts.find(one.id), one);
    },
  },
  {
    name: 'active is true only inside a unit of work',
    async run({ unitOfWork }) {
      assert.equal(unitOfWork.active, false);
      assert.equal(await unitOfWork.run(async () => unitOfWork.active), true);
      assert.equal(unitOfWork.active, false);
    },
  },
  {
    name: 'a unit of work reads its own writes',
    async run({ unitOfWork, accounts }) {
      const one = account({ balance: 3 });
      await unitOfWork.run(() => accounts.add(one));
      const seen = await unitOfWork.run(async () => {
        await accounts.setBalance(one.id, 4);
        return accounts.lock(one.id);
      });
      assert.equal(seen?.balance, 4);
    },
  },
  {
    name: 'uncommitted rows are not visible to others',
    async run({ unitOfWork, journal }) {
      const text = `unseen ${randomUUID()}`;
      const written = gate();
      const decided = gate();
      const running = unitOfWork.run(async () => {
        await journal.append(randomUUID(), text);
        written.open();
        await decided.passed;
        throw new Error('no');
      });
      await written.passed;
      // One engine answers at once, another when its only connection is free. Neither may return the row.
      const seen = journal.texts(text);
      await turn();
      decided.open();
      await assert.rejects(running);
      assert.deepEqual(await seen, []);
    },
  },
  {
    name: 'concurrent increments of a locked row lose none',
    async run({ unitOfWork, accounts }) {
      const one = account();
      await unitOfWork.run(() => accounts.add(one));
      await Promise.all(
        Array.from({ length: 20 }, () =>
          unitOfWork.run(async () => {
            const { balance } = (await accounts.lock(one.id)) ?? one;
            await turn();
            await accounts.setBalance(one.id, balance + 1);
          }),
        ),
      );
      assert.equal((await accounts.find(one.id))?.balance, 20);
    },
  },
  {
    name: 'of many concurrent inserts of one name exactly one succeeds',
    async run({ unitOfWork, accounts }) {
      const name = `wanted ${randomUUID()}`;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, () =>
          unitOfWork.run(async () => {
            await turn();
            await accounts.add(account({ name }));
          }),
        ),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.ok(outcomes.every((outcome) => outcome.status === 'fulfilled' || outcome.reason instanceof Duplicate));
    },
  },
  {
    name: 'work that outlives its rolled-back unit of work cannot write',
    async run({ unitOfWork, journal }) {
      const text = `straggler ${randomUUID()}`;
      const over = gate();
      let straggler: Promise<void> | undefined;
      await assert.rejects(
        unitOfWork.run(async () => {
          straggler = over.passed.then(() => journal.append(randomUUID(), text));
          throw new Error('no');
        }),
      );
      over.open();
      await assert.rejects(async () => straggler);
      assert.deepEqual(await journal.texts(text), []);
    },
  },
];
