// Contributed event handlers, each attempt limited in time.
import type { Subscription } from '#core/kernel/events';
import type { OwnedSubscription } from '#core/kernel/storage';
import { TookTooLong, within } from '../deadline.ts';
import { readable } from '../thrown.ts';

/** @param limit milliseconds for one attempt: then its signal is aborted, and it counts as failed. */
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
