// Contributed channels of live updates: their mounted paths, and the event subscriptions that feed them.
import type { LiveChannel, OwnedChannel } from '#adapters/http/live/channel';
import { accessEvents, type LiveFeed } from '#core/kernel/storage/live';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import type { Mount, Plan } from '../plan.ts';

export type { OwnedChannel };

/** The URL path of a channel. */
export const channelPath = (plugin: string, path: string, mount: Mount): string =>
  mount === 'anywhere' ? `/ws${path}` : `/ws/x/${plugin}${path === '/' ? '' : path}`;

/** A channel with its mounted path. */
export const served = (
  channel: LiveChannel,
  plugin: string,
  plan: Pick<Plan, 'mountOf' | 'isOutside'>,
): OwnedChannel => ({
  plugin,
  outside: plan.isOutside(plugin),
  channel: { ...channel, path: channelPath(plugin, channel.path, plan.mountOf(plugin)) },
});

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
