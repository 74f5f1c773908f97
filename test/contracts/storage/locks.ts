// Contract checks for Locks: one holder at a time per name.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Storage } from '#core/kernel/storage/storage';
import { type Check, gate, turn } from '../checks.ts';
import type { Ledger } from './ledger.ts';

export type LocksProvider = Pick<Storage, 'unitOfWork' | 'locks'> & Ledger;

const nameOf = (): string => `contract ${randomUUID()}`;

export const locksChecks: readonly Check<LocksProvider>[] = [
  {
    name: 'twenty calls under one name never overlap, and each gets its value',
    async run({ locks }) {
      const name = nameOf();
      let inside = 0;
      const values = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          locks.exclusive(name, async () => {
            inside += 1;
            assert.equal(inside, 1);
            await turn();
            inside -= 1;
            return index;
          }),
        ),
      );
      assert.deepEqual(
        values,
        Array.from({ length: 20 }, (_, index) => index),
      );
    },
  },
  {
    name: 'different names do not wait for each other',
    async run({ locks }) {
      const [first, second] = [gate(), gate()];
      await Promise.all([
        locks.exclusive(nameOf(), async () => {
          first.open();
          await second.passed;
        }),
        locks.exclusive(nameOf(), async () => {
          second.open();
          await first.passed;
        }),
      ]);
      assert.ok(true);
    },
  },
  {
    name: 'an error is rethrown and releases the lock',
    async run({ locks }) {
      const name = nameOf();
      const reason = new Error('broken');
      await assert.rejects(
        locks.exclusive(name, async () => {
          throw reason;
        }),
        (error) => error === reason,
      );
      assert.equal(await locks.exclusive(name, async () => 'free'), 'free');
    },
  },
  {
    name: 'an aborted waiter does not get the lock, and the waiters behind it get it one at a time',
    async run({ locks }) {
      const name = nameOf();
      const [taken, done] = [gate(), gate()];
      const reason = new Error('no longer');
      const ran: string[] = [];
      let isHeld = true;
      const first = locks.exclusive(name, async () => {
        taken.open();
        await done.passed;
        isHeld = false;
      });
      await taken.passed;
      const leaving = new AbortController();
      const second = locks.exclusive(name, async () => ran.push('second'), leaving.signal);
      const third = locks.exclusive(name, async () => ran.push(isHeld ? 'too early' : 'third'));
      leaving.abort(reason);
      await assert.rejects(second, (error) => error === reason);
      await assert.rejects(
        locks.exclusive(nameOf(), async () => ran.push('late'), leaving.signal),
        (error) => error === reason,
      );
      assert.deepEqual(ran, []);
      done.open();
      await Promise.all([first, third]);
      assert.deepEqual(ran, ['third']);
      const late = new AbortController();
      const whole = locks.exclusive(
        name,
        async () => {
          late.abort(reason);
          await turn();
          return 'whole';
        },
        late.signal,
      );
      assert.equal(await whole, 'whole');
    },
  },
  {
    name: 'holding more locks than there are connections leaves connections for units of work',
    async run({ locks, unitOfWork, journal }) {
      const text = nameOf();
      const all = gate();
      let holding = 0;
      await Promise.all(
        Array.from({ length: 30 }, () =>
          locks.exclusive(nameOf(), async () => {
            holding += 1;
            if (holding === 30) all.open();
            await all.passed;
            await unitOfWork.run(() => journal.append(randomUUID(), text));
          }),
        ),
      );
      assert.equal((await journal.texts(text)).length, 30);
    },
  },
  {
    name: 'taking a lock inside a unit of work, or the same lock twice in one call, is refused',
    async run({ locks, unitOfWork }) {
      const name = nameOf();
      await assert.rejects(
        unitOfWork.run(() => locks.exclusive(name, async () => 'inner')),
        /inside a unit of work/,
      );
      await assert.rejects(
        locks.exclusive(name, () => locks.exclusive(name, async () => 'inner')),
        /held already/,
      );
      assert.equal(await locks.exclusive(name, () => locks.exclusive(nameOf(), async () => 'another')), 'another');
    },
  },
];
