// The event subscriptions that feed the contributed channels of live updates.
import type { OwnedChannel } from '#adapters/http/live/channel';
import { accessEvents, type LiveFeed } from '#core/kernel/storage/live';
import type { OwnedSubscription } from '#core/kernel/storage/storage';

/** The broadcast subscriptions that every process needs for these channels. */
export const channelSubscriptions = (
  channels: readonly OwnedChannel[],
  feed: LiveFeed,
): readonly OwnedSubscription[] => [
  ...channels.flatMap(({ plugin, channel }) =>
    channel.follows.map((type): OwnedSubscription => ({
      plugin,
      subscription: {
        type,
        name: `live ${channel.id} ${type}`,
        delivery: 'broadcast',
        async handle(event) {
          const message = channel.message(event);
          if (message === undefined) return;
          const { of, ...rest } = message;
          feed.told(channel.id, of, { ...rest, at: event.at });
        },
      },
    })),
  ),
  ...(channels.length === 0 ? [] : accessEvents()).map((type): OwnedSubscription => ({
    plugin: 'host',
    subscription: {
      type,
      name: `live access ${type}`,
      delivery: 'broadcast',
      handle: async ({ aggregate }) => feed.suspected(aggregate),
    },
  })),
];
