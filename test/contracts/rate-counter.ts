// Contract checks for RateCounter: fixed and rolling windows with exact counts.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Budget, RateCounter } from '#core/kernel/rate';
import type { Check } from './checks.ts';

const fixed: Budget = { limit: 3, windowSeconds: 60, window: 'fixed' };
const rolling: Budget = { limit: 3, windowSeconds: 60, window: 'rolling' };
const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds));
const keyOf = (): string => `contract:${randomUUID()}`;

export const rateCounterChecks: readonly Check<RateCounter>[] = [
  {
    name: 'a fixed window grants its units and refuses more until it ends',
    async run(counter) {
      const key = keyOf();
      const taken = [];
      for (let index = 0; index < 4; index += 1) taken.push(await counter.take(key, fixed, at(10 + index)));
      assert.deepEqual(
        taken,
        [2, 1, 0, 0].map((remaining, index) => ({ limit: 3, remaining, resetAt: at(60), exceeded: index === 3 })),
      );
      assert.deepEqual(await counter.take(key, fixed, at(60)), {
        limit: 3,
        remaining: 2,
        resetAt: at(120),
        exceeded: false,
      });
    },
  },
  {
    name: 'a rolling window frees a unit when it is one window old',
    async run(counter) {
      const key = keyOf();
      for (const seconds of [0, 20, 40]) assert.equal((await counter.take(key, rolling, at(seconds))).exceeded, false);
      assert.deepEqual(await counter.take(key, rolling, at(59)), {
        limit: 3,
        remaining: 0,
        resetAt: at(60),
        exceeded: true,
      });
      assert.deepEqual(await counter.take(key, rolling, at(60)), {
        limit: 3,
        remaining: 0,
        resetAt: at(80),
        exceeded: false,
      });
      assert.equal((await counter.take(key, rolling, at(79))).exceeded, true);
    },
  },
  {
    name: 'a refused take uses no units',
    async run(counter) {
      const key = keyOf();
      assert.equal((await counter.take(key, rolling, at(0), 2)).remaining, 1);
      assert.deepEqual(await counter.take(key, rolling, at(1), 2), {
        limit: 3,
        remaining: 1,
        resetAt: at(60),
        exceeded: true,
      });
      assert.deepEqual(await counter.take(key, rolling, at(2), 1), {
        limit: 3,
        remaining: 0,
        resetAt: at(60),
        exceeded: false,
      });
    },
  },
  {
    name: 'peek takes nothing and returns the current state of the budget',
    async run(counter) {
      for (const budget of [fixed, rolling]) {
        const key = keyOf();
        assert.deepEqual(
          [(await counter.peek(key, budget, at(0))).remaining, (await counter.peek(key, budget, at(0))).remaining],
          [3, 3],
        );
        await counter.take(key, budget, at(0), 3);
        assert.deepEqual(await counter.peek(key, budget, at(1)), {
          limit: 3,
          remaining: 0,
          resetAt: at(60),
          exceeded: true,
        });
      }
    },
  },
  {
    name: 'clear resets the budget of its key and of no other',
    async run(counter) {
      const [one, other] = [keyOf(), keyOf()];
      await counter.take(one, rolling, at(0), 3);
      await counter.take(other, rolling, at(0), 3);
      await counter.clear(one);
      assert.equal((await counter.peek(one, rolling, at(1))).remaining, 3);
      assert.equal((await counter.peek(other, rolling, at(1))).remaining, 0);
    },
  },
  {
    name: 'of many concurrent takes exactly the budget is granted',
    async run(counter) {
      for (const budget of [fixed, rolling]) {
        const key = keyOf();
        const counts = await Promise.all(Array.from({ length: 20 }, () => counter.take(key, budget, at(5))));
        assert.equal(counts.filter(({ exceeded }) => !exceeded).length, 3);
      }
    },
  },
  {
    name: 'a changed budget applies to the next take',
    async run(counter) {
      const key = keyOf();
      await counter.take(key, fixed, at(0), 3);
      assert.equal((await counter.take(key, { ...fixed, limit: 5 }, at(1))).remaining, 1);
      assert.equal((await counter.take(key, { ...fixed, limit: 0 }, at(2))).exceeded, true);
    },
  },
  {
    name: 'a unit given back can be taken again, the latest first, and never more units than were taken',
    async run(counter) {
      for (const budget of [fixed, rolling]) {
        const key = keyOf();
        for (const seconds of [10, 20, 30]) await counter.take(key, budget, at(seconds));
        await counter.giveBack(key, budget, at(31));
        assert.equal((await counter.peek(key, budget, at(31))).remaining, 1);
        assert.equal((await counter.peek(key, budget, at(75))).remaining, budget === fixed ? 3 : 2);
        for (let time = 0; time < 5; time += 1) await counter.giveBack(key, budget, at(32));
        assert.equal((await counter.peek(key, budget, at(32))).remaining, 3);
        assert.equal((await counter.take(key, budget, at(33), 3)).remaining, 0);
      }
    },
  },
  {
    name: 'a flood of keys resets no budget that is exhausted or nearly so, and none of another class',
    async run(counter) {
      const run = randomUUID();
      const [spent, nearly, once] = [`flood:spent-${run}`, `flood:nearly-${run}`, `flood-other:once-${run}`];
      const [address, user] = [`flood:address:${run}`, `flood:user:${run}`];
      await counter.take(spent, rolling, at(0), 3);
      await counter.take(nearly, rolling, at(0), 2);
      for (const key of [once, address, user]) await counter.take(key, rolling, at(0));
      for (let round = 0; round < 220; round += 1)
        await Promise.all(
          Array.from({ length: 500 }, (_, index) => counter.take(`flood:${run}-${round}-${index}`, rolling, at(1))),
        );
      const remaining = await Promise.all(
        [spent, nearly, once, address, user].map(async (key) => (await counter.peek(key, rolling, at(2))).remaining),
      );
      assert.deepEqual(remaining, [0, 1, 2, 2, 2]);
    },
  },
];
