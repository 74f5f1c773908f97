// Bots of plugins in a whole forge, tested as their authors would.
import t from 'tap';
import { builtInTypes, type IssueAt } from 'hexforge/issues';
import { definePlugin, on, type Bot, type PortValue } from 'hexforge/plugin';
import { testHost, type TestHost } from 'hexforge/testing';

interface Comment {
  readonly author: { readonly username: string; readonly display_name: string };
  readonly body: string;
}

async function opened(forge: TestHost, repository: string): Promise<string> {
  const json = { title: 'It leaks', issue_type_id: builtInTypes[0].id };
  const { body } = await forge.as('alice').post(`/repos/${repository}/issues`, { json });
  const { number } = body as { readonly number: number };
  await forge.drained();
  return `/repos/${repository}/issues/${number}/comments`;
}

void t.test('each plugin that needs a bot has one when it starts, and no other plugin has', async (t) => {
  const seen: Record<string, string> = {};
  const withBot = (name: string) =>
    definePlugin({
      name,
      version: '1.0.0',
      api: '^0.2.0',
      needs: ['Bot'],
      start: async (_, { Bot }) => {
        seen[name] = (await Bot.account()).username;
      },
    });
  const without = definePlugin({ name: 'plain', version: '1.0.0', api: '^0.2.0' });
  await using forge = await testHost([withBot('one'), withBot('two'), without]);
  t.same(seen, { one: 'one[bot]', two: 'two[bot]' });
  t.equal(await forge.port('BotAccounts').of('plain'), undefined);
});

void t.test('the comments of a bot use the budget of its account', async (t) => {
  let used: { readonly Bot: Bot; readonly Issues: PortValue<'Issues'> } | undefined;
  const busy = definePlugin({
    name: 'busy',
    version: '1.0.0',
    api: '^0.2.0',
    needs: ['Bot', 'Issues'],
    build: (context) => {
      used = context;
      return {};
    },
  });
  await using forge = await testHost(busy, {
    repositories: [{ path: 'alice/open', visibility: 'public' }],
    metering: true,
  });
  const { id: repositoryId } = await forge.repository('alice/open');
  const { id = '' } = (await used?.Bot.account()) ?? {};
  const rule = { json: { requests_per_window: 2, window_seconds: 60, burst: 0 } };
  t.equal((await forge.as('admin').put(`/admin/rate-limits/overrides/users/${id}/api.read`, rule)).status, 200);
  const call = await used?.Bot.call();
  if (call === undefined) throw new Error('the plugin was not built');
  const list = () => Promise.resolve(used?.Issues?.list(call, { repositoryId }));
  await list();
  await list();
  await t.rejects(list(), { kind: 'rate_limited', message: /./ });
  t.equal((await forge.as('alice').get('/repos/alice/open/issues')).status, 200, 'that of others is not used');
});

void t.test('a plugin that answers comments skips its own, as docs/plugins/bots.md describes', async (t) => {
  const echo = definePlugin({
    name: 'echo',
    version: '1.0.0',
    api: '^0.2.0',
    needs: ['Bot', 'Issues'],
    build: ({ Bot, Issues }) => ({
      answer: async (at: IssueAt, signal: AbortSignal) =>
        Issues?.comment(await Bot.call(signal), { ...at, body: 'I hear you.' }),
      own: async (actorId: string | undefined) => actorId === (await Bot.account()).id,
    }),
    events: ({ answer, own }) => [
      on('issue_comment.created', {
        name: 'answer',
        delivery: 'durable',
        handle: async ({ actorId, payload }, signal) => {
          if (await own(actorId)) return;
          await answer({ repositoryId: payload.repository_id, number: payload.number }, signal);
        },
      }),
    ],
  });
  await using forge = await testHost(echo, { repositories: [{ path: 'alice/open', visibility: 'public' }] });
  const path = await opened(forge, 'alice/open');
  await forge.as('alice').post(path, { json: { body: 'Hello?' } });
  await forge.drained();
  const comments = (await forge.as('alice').get(path)).body as readonly Comment[];
  t.same(
    comments.map(({ author, body }) => [author.username, body]),
    [
      ['alice', 'Hello?'],
      ['echo[bot]', 'I hear you.'],
    ],
  );
  const { id } = await forge
    .port('BotAccounts')
    .of('echo')
    .then((account) => account ?? { id: '' });
  t.same(
    forge.events.filter(({ type }) => type === 'issue_comment.created').map(({ actorId }) => actorId),
    [(await forge.user('alice')).id, id],
  );
});
