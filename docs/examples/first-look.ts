// The plugin of docs/plugins/bots.md: its bot comments once on each new issue and merge request that it may read.
import { definePlugin, Forbidden, NotFound, on, type Call, type User } from 'hexforge/plugin';
import type { IssueAt } from 'hexforge/issues';
import type { MergeRequestAt } from 'hexforge/merges';

const greeting = 'Thank you. Somebody will look at this soon.';

export default definePlugin({
  name: 'first-look',
  version: '1.0.0',
  api: '^0.2.0',
  needs: ['Bot', 'Issues', 'MergeRequests'],
  build: ({ Bot, Issues, MergeRequests }) => {
    /** Handlers may receive an event twice, so the bot looks for its own comment first. */
    const once = async (
      signal: AbortSignal,
      read: (call: Call<User>) => Promise<readonly { readonly authorId: string }[]>,
      write: (call: Call<User>) => Promise<unknown>,
    ): Promise<void> => {
      try {
        const call = await Bot.call(signal);
        const comments = await read(call);
        if (!comments.some(({ authorId }) => authorId === call.caller.id)) await write(call);
      } catch (error) {
        // The operator has not granted the bot a role in this repository, or has suspended it.
        if (!(error instanceof NotFound || error instanceof Forbidden)) throw error;
      }
    };
    return {
      issue: (at: IssueAt, signal: AbortSignal) =>
        once(
          signal,
          async (call) => (await Issues?.comments(call, at)) ?? [],
          async (call) => Issues?.comment(call, { ...at, body: greeting }),
        ),
      mergeRequest: (at: MergeRequestAt, signal: AbortSignal) =>
        once(
          signal,
          async (call) => (await MergeRequests?.comments(call, at)) ?? [],
          async (call) => MergeRequests?.comment(call, { ...at, body: greeting }),
        ),
    };
  },
  events: ({ issue, mergeRequest }) => [
    on('issue.created', {
      name: 'greet-issue',
      delivery: 'durable',
      optional: true,
      handle: ({ payload: { repository_id: repositoryId, number } }, signal) => issue({ repositoryId, number }, signal),
    }),
    on('merge.opened', {
      name: 'greet-merge-request',
      delivery: 'durable',
      optional: true,
      handle: ({ payload: { repository_id: repositoryId, number } }, signal) =>
        mergeRequest({ repositoryId, number }, signal),
    }),
  ],
});
