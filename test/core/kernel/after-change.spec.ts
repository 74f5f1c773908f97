// The error for a caller whose change was committed although reading the answer failed.
import t from 'tap';
import { afterChange } from '#core/kernel/storage/after-change';
import { InsufficientStorage, NotFound, TimedOut, Unavailable } from '#core/kernel/errors';

void t.test(
  'a failed read after a committed change is not reported as a rejection, and other errors are passed on',
  async (t) => {
    t.equal(await afterChange('it', async () => 1), 1);
    for (const cause of [
      new Unavailable('It is away', { code: 'own', retryAfter: 1 }),
      new InsufficientStorage('It is full'),
      new TimedOut('It took too long'),
    ])
      await t.rejects(
        afterChange('the label "a"', () => Promise.reject(cause)),
        {
          kind: 'unavailable',
          code: 'unavailable',
          message: 'The change was made, but what came of it cannot be shown now',
          detail: `Look at the label "a" before you try again: ${cause.message}`,
          retryAfter: undefined,
          cause,
        },
      );
    for (const cause of [new NotFound('Not found'), new TypeError('a fault of ours')])
      await t.rejects(
        afterChange('it', () => Promise.reject(cause)),
        cause,
      );
  },
);
