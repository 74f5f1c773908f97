// The event subscriptions that feed the index queue from the contributed indexers.
import type { Subscription } from '#core/kernel/storage/events';
import type { IndexQueue, RegisteredIndexer } from '../plugin/indexers.ts';

/** One durable subscription for each indexer. */
export const indexSubscriptions = (
  indexers: readonly RegisteredIndexer[],
  queue: IndexQueue,
): readonly Subscription[] =>
  indexers.flatMap(({ indexer }) => {
    const [type, ...also] = indexer.follows;
    if (type === undefined) return [];
    return {
      type,
      also,
      name: `index ${indexer.name}`,
      delivery: 'durable' as const,
      optional: true,
      handle: async (event) => queue.touched(indexer.name, indexer.touched(event)),
    } satisfies Subscription;
  });
