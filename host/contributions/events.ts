// Contributed event handlers, with a time limit for each attempt.
import type { Subscription } from '#core/kernel/storage/events';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import { TookTooLong, within } from '../problems/deadline.ts';
import { readable } from '../problems/thrown.ts';

/**
 * @param limit Milliseconds for one attempt. After it, the handler's signal is aborted and the attempt counts as
 * failed.
 */
export function limited(plugin: string, subscription: Subscription, limit: number): OwnedSubscription {
  const what = `The handler "${subscription.name}" of plugin "${plugin}"`;
  return {
    plugin,
    subscription: {
      ...subscription,
      async handle(event) {
        const late = new AbortController();
        try {
          await within(limit, what, () => subscription.handle(event, late.signal));
        } catch (error) {
          if (error instanceof TookTooLong) late.abort(error);
          throw readable(error);
        }
      },
    },
  };
}
