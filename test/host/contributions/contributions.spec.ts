// MCP tools, indexers and pages contributed by plugins, in the registries that the endpoints read.
import t from 'tap';
import { html, HtmlPage } from '#adapters/http/descriptor/html';
import { count, list, shape, word } from '#adapters/http/descriptor/shape';
import { anyone, session, signedIn } from '#core/kernel/access/access';
import { indexer } from '#host/plugin/indexers';
import { page } from '#host/plugin/pages';
import { tool } from '#host/plugin/tools';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import { checkPlugin, Refused, bareHost } from '#host/sdk/testing';
import '../sample-ports.ts';

const base = { version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };

const bells = (name: string, rest: Partial<PluginDefinition> = {}): PluginDefinition => ({
  ...definePlugin({
    ...base,
    name,
    emits: ['sample.happened'],
    build: () => ({ all: async (limit: number) => ['big', 'small'].slice(0, limit) }),
    tools: ({ all }) => [
      tool({
        name: 'list_bells',
        description: 'Lists the bells',
        access: signedIn,
        scope: null,
        input: shape({ limit: count().default(30) }),
        output: shape({ bells: list(word()) }),
        run: async (call, { input: { limit } }) => ({ bells: [call.caller.username, ...(await all(limit))] }),
      }),
    ],
    indexers: ({ all }) => [
      indexer({
        name: 'bells',
        description: 'Bells by their names',
        scope: null,
        source: shape({ name: word() }),
        follows: ['sample.happened'],
        touched: ({ payload: { what } }) => [{ repositoryId: what, key: what }],
        document: async (_repositoryId, key) =>
          (await all(2)).includes(key) ? { key, text: key, updatedAt: new Date(0), source: { name: key } } : undefined,
        async *documents() {
          for (const text of await all(2)) yield { key: text, text, updatedAt: new Date(0), source: { name: text } };
        },
      }),
    ],
    pages: ({ all }) => [
      page({
        id: 'bellList',
        summary: 'The bells',
        path: '/bells/{limit}',
        access: session,
        scope: null,
        run: async (_call, { params }) =>
          new HtmlPage({ title: 'Bells', main: html`${(await all(Number(params.limit))).join()}` }),
      }),
    ],
  }),
  ...rest,
});

void t.test('contributions are in the registries, with their defaults, once the plugins are built', async (t) => {
  const sample = definePlugin({ ...base, name: 'sample', emits: ['sample.happened'] });
  const host = await bareHost([bells('bell', { emits: [] }), sample], { foreign: ['bell'] });
  t.teardown(() => host.stop());
  const [listed] = host.port('ToolRegistry').tools();
  t.match(listed, { plugin: 'bell', tool: { name: 'list_bells', family: 'bell' } });
  const answer: unknown = await listed?.tool.run(
    { caller: { username: 'alice' } } as never,
    { input: { limit: 1 } } as never,
  );
  t.strictSame(answer, { bells: ['alice', 'big'] });
  const [found] = host.port('IndexerRegistry').indexers();
  t.match(found, { plugin: 'bell', indexer: { name: 'bells', follows: ['sample.happened'] } });
  t.match(await Array.fromAsync(found?.indexer.documents('r') ?? []), [{ key: 'big' }, { key: 'small' }]);
  const [shown] = host.port('PageRegistry').pages();
  t.match(shown, { plugin: 'bell', one: { id: 'bellList', path: '/-/x/bell/bells/{limit}', meter: 'api.read' } });
  t.match(await shown?.one.run({} as never, { params: { limit: '2' } } as never), {
    title: 'Bells',
    main: { text: 'big,small' },
  });
});

void t.test('pages of a plugin that may mount anywhere are directly under the web pages', async (t) => {
  const host = await bareHost([bells('bell')]);
  t.teardown(() => host.stop());
  t.strictSame(
    host
      .port('PageRegistry')
      .pages()
      .map(({ one: { path } }) => path),
    ['/-/bells/{limit}'],
  );
});

void t.test('the contributions of a failed plugin are removed', async (t) => {
  const failing = {
    onFailure: 'isolate',
    start: async () => {
      throw new Error('no luck');
    },
  } as const;
  const host = await bareHost([bells('bell', failing)]);
  t.teardown(() => host.stop());
  t.strictSame(host.port('ToolRegistry').tools(), []);
  t.strictSame(host.port('IndexerRegistry').indexers(), []);
  t.strictSame(host.port('PageRegistry').pages(), []);
});

void t.test('claims by two plugins are rejected with both names', async (t) => {
  const error = await bareHost([bells('bell'), bells('tower')]).catch((thrown: unknown) => thrown);
  t.ok(error instanceof Refused);
  t.strictSame(error instanceof Refused && error.problems.map(({ code, message }) => [code, message]), [
    ['duplicate_tool', 'The tool "list_bells" is claimed by "bell" and by "tower"'],
    ['duplicate_indexer', 'The indexer "bells" is claimed by "bell" and by "tower"'],
    ['duplicate_page_id', 'The page id "bellList" is claimed by "bell" and by "tower"'],
    ['duplicate_page', 'The page "/-/bells/{}" is claimed by "bell" and by "tower"'],
  ]);
  const named = (kind: 'jobs' | 'probes' | 'events') => {
    const one = { name: 'a', everySeconds: 60, run: async () => undefined, check: async () => undefined };
    const { everySeconds, run, check } = one;
    const made = {
      jobs: { name: 'a', everySeconds, run },
      probes: { name: 'a', check },
      events: { name: 'a', type: 'sample.happened', delivery: 'durable', optional: true, handle: run },
    }[kind];
    const builder = { [kind]: () => [made, made] } as unknown as Partial<PluginDefinition>;
    return checkPlugin({ ...definePlugin({ ...base, name: 'bell' }), ...builder });
  };
  t.match(named('jobs'), [{ code: 'duplicate_job', message: 'Plugin "bell" claims the job "bell/a" twice' }]);
  t.match(named('probes'), [{ code: 'duplicate_probe' }]);
  t.match(named('events'), [{ code: 'duplicate_subscription' }]);
});

void t.test('scopes, permissions and events named by a tool, an indexer or a page must exist', async (t) => {
  const problems = checkPlugin(
    definePlugin({
      ...base,
      name: 'bell',
      tools: () => [
        tool({
          name: 'ring',
          description: 'Rings',
          access: anyone,
          scope: 'sample.read',
          output: shape({}),
          run: () => ({}),
        }),
      ],
    }),
  );
  t.strictSame(problems, [], 'checked alone, a plugin may name contributions of others');
  const error = await bareHost([
    bells('bell', { emits: [], scopes: [] }),
    definePlugin({
      ...base,
      name: 'tower',
      pages: () => [
        page({
          id: 'towerPage',
          summary: 'The tower',
          path: '/tower',
          access: anyone,
          scope: 'sample.read',
          run: () => new HtmlPage({ title: '', main: html`` }),
        }),
      ],
    }),
  ]).catch((thrown: unknown) => thrown);
  t.match(error, {
    problems: [
      {
        code: 'unknown_scope',
        message:
          'The page "towerPage" of plugin "tower" names the scope row "sample.read", which no enabled plugin contributes',
      },
      {
        code: 'unknown_event',
        message: 'The indexer "bells" of plugin "bell" is to events of type "sample.happened", which no plugin emits',
      },
    ],
  });
});
