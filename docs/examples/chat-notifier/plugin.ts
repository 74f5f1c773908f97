// The plugin "chat-notifier": posts new repositories and pushes to a chat. It handles events, and serves no routes.
import { definePlugin, flag, on, rows, shape, type EventOf } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { post } from './chat.ts';
import { forget, remember, told, ToldTable, wasTold, type Told } from './told.ts';

declare module 'hexforge/plugin' {
  interface SettingValues {
    'chat-notifier.webhook': string;
  }
}

export default definePlugin({
  name: 'chat-notifier',
  version: '1.0.0',
  api: '^0.2.0',
  // If this plugin fails, the forge runs without it.
  onFailure: 'isolate',
  config: shape({ private: flag().default(false).description('Whether private repositories are told of too') }),
  settings: [
    {
      key: 'chat-notifier.webhook',
      type: 'string',
      default: '',
      maxLength: 2000,
      sensitive: true,
      description: 'The URL of the incoming webhook; empty: nothing is told',
    },
  ],
  outbound: ['the host of the setting "chat-notifier.webhook"'],
  needs: ['Repositories', 'Settings', 'UnitOfWork'],
  stores: { told: rows<Told>(ToldTable) },
  entities: [ToldTable],
  tables: ['chat_notifier_told'],
  migrations: [told],

  build: ({ config, Repositories, Settings, UnitOfWork, stores }) => ({
    /**
     * Throws if the chat does not accept the message: the forge then retries, and at last dead-letters the event. Reads
     * and writes run in units of work; the request to the chat runs outside of them.
     */
    async tell(event: EventOf, repositoryId: string, say: (repository: Repository) => string, signal: AbortSignal) {
      const webhook = await Settings.get('chat-notifier.webhook');
      const repository = await Repositories.byId(repositoryId);
      if (webhook === '' || repository === undefined) return;
      if (repository.visibility === 'private' && !config.private) return;
      if (await wasTold(stores.told, event)) return;
      await post(webhook, say(repository), event.id, signal);
      await UnitOfWork.run(async () => {
        // The repository may have been deleted meanwhile, and a row written after its deletion would never be removed.
        if ((await Repositories.byId(repositoryId)) !== undefined) await remember(stores.told, event, repositoryId);
      });
    },
    forget: (repositoryId: string): Promise<void> => UnitOfWork.run(() => forget(stores.told, repositoryId)),
  }),

  events: ({ tell, forget }) => [
    on('repository.created', {
      name: 'created',
      delivery: 'durable',
      handle: (event, signal) =>
        tell(event, event.payload.repository_id, ({ owner, name }) => `${owner}/${name} is there`, signal),
    }),
    on('push', {
      name: 'push',
      delivery: 'durable',
      handle: (event, signal) => {
        const { repository_id: id, ref } = event.payload;
        return tell(event, id, ({ owner, name }) => `${owner}/${name}: ${ref} has moved`, signal);
      },
    }),
    on('repository.deleted', {
      name: 'deleted',
      delivery: 'durable',
      handle: ({ payload }) => forget(payload.repository_id),
    }),
  ],
});
