// The plugin "chat-notifier": tells a chat of new repositories and of pushes. It handles events, and serves no routes.
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
  // A forge without a chat is a forge.
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
     * Throws where the chat does not take it: the forge tries again, and parks the event at last. What it reads and
     * writes lies in units of work, the request to the chat between them.
     */
    async tell(event: EventOf, repositoryId: string, say: (repository: Repository) => string, signal: AbortSignal) {
      const webhook = await Settings.get('chat-notifier.webhook');
      const repository = await Repositories.byId(repositoryId);
      if (webhook === '' || repository === undefined) return;
      if (repository.visibility === 'private' && !config.private) return;
      if (await wasTold(stores.told, event)) return;
      await post(webhook, say(repository), event.id, signal);
      await UnitOfWork.run(async () => {
        // It may be gone by now, and what is written after its end nobody would remove.
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
