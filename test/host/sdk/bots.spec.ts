// The bot of a plugin in a whole forge: the plugin of docs/plugins/bots.md, tested as its author would.
import t from 'tap';
import firstLook from '../../../docs/examples/first-look.ts';
import { builtInTypes, type IssueAt } from 'hexforge/issues';
import { definePlugin, on, type Bot, type PortValue } from 'hexforge/plugin';
import { checkPlugin, testHost, type TestHost } from 'hexforge/testing';

interface Comment {
  readonly author: { readonly username: string; readonly display_name: string };
  readonly body: string;
}
const bot = 'first-look[bot]';

async function opened(forge: TestHost, repository: string): Promise<string> {
  const json = { title: 'It leaks', issue_type_id: builtInTypes[0].id };
  const { body } = await forge.as('alice').post(`/repos/${repository}/issues`, { json });
  const { number } = body as { readonly number: number };
  await forge.drained();
  return `/repos/${repository}/issues/${number}/comments`;
}

void t.test('the bot comments where the operator lets it read, and is silent elsewhere', async (t) => {
  t.same(checkPlugin(firstLook), []);
  await using forge = await testHost(firstLook, {
    repositories: [{ path: 'alice/open', visibility: 'public' }, 'alice/shut'],
  });
  const [alice, admin] = [forge.as('alice'), forge.as('admin')];
  const comments = async (path: string) => (await alice.get(path)).body as readonly Comment[];

  const [one] = await comments(await opened(forge, 'alice/open'));
  t.match(one, { author: { username: bot, display_name: 'first-look' }, body: /Thank you/ });
  t.same(await comments(await opened(forge, 'alice/shut')), [], 'a private repository is not there for it');

  t.equal((await alice.put(`/repos/alice/shut/collaborators/${bot}`, { json: { role: 'read' } })).status, 204);
  t.equal((await comments(await opened(forge, 'alice/shut'))).length, 1);

  const found = (await admin.get(`/admin/users?q=${bot}`)).body as {
    readonly users: readonly { readonly id: string }[];
  };
  const { id = '' } = found.users[0] ?? {};
  const changed = async (json: object) => (await admin.patch(`/admin/users/${id}`, { json })).status;
  t.equal(await changed({ status: 'suspended' }), 200);
  t.same(await comments(await opened(forge, 'alice/open')), [], 'suspended');
  t.equal(await changed({ status: 'active' }), 200);
  t.equal((await comments(await opened(forge, 'alice/open'))).length, 1);
});

void t.test('a comment on a merge request needs the right to write', async (t) => {
  await using forge = await testHost(firstLook, { repositories: [{ path: 'alice/open', visibility: 'public' }] });
  const alice = forge.as('alice');
  const put = (path: string, branch: string) =>
    alice.put(`/repos/alice/open/contents/${path}`, { json: { message: 'x', content: '', branch } });
  await put('base', 'main');
  const open = async (branch: string): Promise<readonly Comment[]> => {
    await alice.post('/repos/alice/open/branches', { json: { name: branch } });
    await put(branch, branch);
    const json = { title: branch, source_branch: branch, target_branch: 'main' };
    const { body } = await alice.post('/repos/alice/open/merges', { json });
    await forge.drained();
    const path = `/repos/alice/open/merges/${(body as { readonly number: number }).number}/comments`;
    return (await alice.get(path)).body as readonly Comment[];
  };
  t.same(await open('before'), []);
  await alice.put(`/repos/alice/open/collaborators/${bot}`, { json: { role: 'write' } });
  t.equal((await open('after')).length, 1);
});

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
