// Contract checks for Intents: committed before the change, closed with its outcome, and found again when their process
// has ended.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Conflict, Unavailable } from '#core/kernel/errors';
import type { Storage } from '#core/kernel/storage/storage';
import { gate, turn, type Check } from '../checks.ts';

export type IntentStorage = Pick<Storage, 'unitOfWork' | 'intents' | 'close'>;

export interface IntentsProvider {
  /**
   * Opens the storage: empty at first, later with its previous data. A closed storage counts as a process that has
   * ended.
   */
  open(): Promise<IntentStorage>;
}

const kindOf = (): string => `contract.${randomUUID()}`;

export const intentsChecks: readonly Check<IntentsProvider>[] = [
  {
    name: 'an open intent counts as in progress while its process lives',
    async run({ open }) {
      const { intents } = await open();
      const kind = kindOf();
      const intent = await intents.open({ kind, subject: 'one', detail: { old: 'a' } });
      assert.deepEqual(
        { ...intent, id: typeof intent.id, openedAt: intent.openedAt instanceof Date },
        { id: 'string', kind, subject: 'one', detail: { old: 'a' }, openedAt: true },
      );
      assert.deepEqual(await intents.abandoned(kind), []);
    },
  },
  {
    name: 'abandoned returns the intents of ended processes of one kind, oldest first and unchanged',
    async run({ open }) {
      const before = await open();
      const kind = kindOf();
      const opened = [];
      for (const subject of ['one', 'two', 'three'])
        opened.push(await before.intents.open({ kind, subject, detail: { subject, path: ['a', 'ü'] } }));
      await before.intents.open({ kind: kindOf(), subject: 'other', detail: {} });
      await before.close();
      const after = await open();
      assert.deepEqual(await after.intents.abandoned(kind), opened);
    },
  },
  {
    name: 'a closed intent is never returned as abandoned',
    async run({ open }) {
      const before = await open();
      const kind = kindOf();
      const { id } = await before.intents.open({ kind, subject: 'one', detail: {} });
      await before.unitOfWork.run(() => before.intents.close(id));
      await before.close();
      assert.deepEqual(await (await open()).intents.abandoned(kind), []);
    },
  },
  {
    name: 'a rollback undoes the closing of an intent',
    async run({ open }) {
      const before = await open();
      const kind = kindOf();
      const { id } = await before.intents.open({ kind, subject: 'one', detail: {} });
      await assert.rejects(
        before.unitOfWork.run(async () => {
          await before.intents.close(id);
          throw new Error('no');
        }),
        /no/,
      );
      await before.close();
      assert.deepEqual(
        (await (await open()).intents.abandoned(kind)).map((intent) => intent.id),
        [id],
      );
    },
  },
  {
    name: 'an abandoned intent can be concluded by another process, once',
    async run({ open }) {
      const before = await open();
      const kind = kindOf();
      const { id } = await before.intents.open({ kind, subject: 'one', detail: {} });
      await before.close();
      const { unitOfWork, intents } = await open();
      await unitOfWork.run(() => intents.close(id));
      assert.deepEqual(await intents.abandoned(kind), []);
      await assert.rejects(
        unitOfWork.run(() => intents.close(id)),
        Conflict,
      );
    },
  },
  {
    name: 'stillOpen waits for units of work that closed or hold an intent, and returns those left open',
    async run({ open }) {
      const { unitOfWork, intents } = await open();
      const ids = await Promise.all(
        ['closed', 'held', 'rolled back', 'left'].map(
          async (subject) => (await intents.open({ kind: kindOf(), subject, detail: {} })).id,
        ),
      );
      const [closed = '', held = '', rolledBack = '', left = ''] = ids;
      await assert.rejects(
        unitOfWork.run(async () => {
          await intents.close(rolledBack);
          throw new Error('no');
        }),
        /no/,
      );
      const [done, go] = [gate(), gate()];
      let committing = false;
      const working = unitOfWork.run(async () => {
        await intents.close(closed);
        await intents.hold(held);
        done.open();
        await go.passed;
        committing = true;
      });
      await done.passed;
      const asked = intents.stillOpen(ids).then((found) => {
        assert.ok(committing, 'stillOpen resolved before the outcome was known');
        return found;
      });
      await turn();
      go.open();
      await working;
      assert.deepEqual([...(await asked)].sort(), [held, rolledBack, left].sort());
      assert.deepEqual([...(await intents.stillOpen([]))], []);
      await assert.rejects(
        unitOfWork.run(() => intents.stillOpen([left])),
        /outside of units of work/,
      );
      await assert.rejects(intents.hold(left), /inside the unit of work/);
    },
  },
  {
    name: 'renew and hold of a concluded intent reject, so that the change is not made',
    async run({ open }) {
      const { unitOfWork, intents } = await open();
      const { id } = await intents.open({ kind: kindOf(), subject: 'one', detail: {} });
      await intents.renew(id);
      await unitOfWork.run(() => intents.hold(id));
      await assert.rejects(
        unitOfWork.run(() => intents.renew(id)),
        /outside of units of work/,
      );
      await unitOfWork.run(() => intents.close(id));
      await assert.rejects(intents.renew(id), Unavailable);
      await assert.rejects(
        unitOfWork.run(() => intents.hold(id)),
        Unavailable,
      );
    },
  },
  {
    name: 'opening inside a unit of work and closing outside one are refused',
    async run({ open }) {
      const { unitOfWork, intents } = await open();
      const intent = { kind: kindOf(), subject: 'one', detail: {} };
      await assert.rejects(
        unitOfWork.run(() => intents.open(intent)),
        /inside a unit of work/,
      );
      const { id } = await intents.open(intent);
      await assert.rejects(intents.close(id), /inside the unit of work/);
    },
  },
];
