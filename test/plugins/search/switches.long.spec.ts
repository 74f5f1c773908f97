// Each combination of search, search-sql, mcp and issues switched off starts and answers as documented, and changes made
// while the search is off are found when it is on again.
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { endpointOf, message, namesOf, send } from '../../spec/mcp/wire.ts';
import {
  ask,
  checkout,
  empty,
  expect,
  filesOf,
  issue,
  people,
  put,
  repositoryOf,
  repos,
  search,
  eventually,
} from '../../spec/search/world.ts';

const switchable = ['search', 'search-sql', 'mcp', 'issues'] as const;
const combinations = Array.from({ length: 2 ** switchable.length }, (_, bits) =>
  switchable.filter((_name, at) => Math.floor(bits / 2 ** at) % 2 === 1),
);

for (const off of combinations)
  void t.test(`off: ${off.join(', ') || 'nothing'}`, async (t) => {
    const isOn = (name: (typeof switchable)[number]): boolean => !off.includes(name);
    const environment = { HEXFORGE_PLUGINS: off.map((name) => `-${name}`).join() };
    const forge = await startTestForge(t, { database: 'memory', environment });
    const { alice } = await people(t, forge);
    await repositoryOf(alice, 'alice', 'code', { 'walrus.ts': 'export const walrus = 1;\n' });
    if (isOn('issues')) await issue(alice, 'alice/code', 'A walrus');
    const ready = expect(await forge.anonymous.get('/readyz'), 200).body as { readonly degraded: readonly string[] };
    t.strictSame(ready.degraded, []);

    const working = isOn('search') && isOn('search-sql');
    if (working) {
      const found = await eventually(
        () => search(alice, 'walrus'),
        ({ code, issues }) => code.total === 1 && issues.total === (isOn('issues') ? 1 : 0),
      );
      t.equal(found.symbols.total, 1);
    }
    for (const path of ['search', 'search/code', 'search/suggest']) {
      const { status, headers } = await alice.get(`/api/v1/${path}?q=walrus`);
      t.equal(status, isOn('search') ? 200 : 404, path);
      t.equal(headers.get('x-search-fallback'), isOn('search') && !working ? 'true' : null, path);
    }
    if (isOn('search') && !working) t.strictSame((await search(alice, 'walrus')).code, empty);

    const client = await forge.pat(alice, ['mcp:read', 'repo:read', 'issue:read']);
    if (!isOn('mcp')) {
      t.equal((await alice.post(endpointOf('alice/code'), { body: message('ping') })).status, 404);
      return;
    }
    const tools = await namesOf(client, 'alice/code');
    t.equal(tools.includes('search_code'), isOn('search'));
    t.equal(tools.includes('find_symbol'), isOn('search'));
    t.equal(tools.includes('list_issues'), isOn('issues'));
    if (!isOn('search')) return;
    const asked = message('tools/call', { name: 'search_code', arguments: { query: 'walrus' } });
    const { result } = (await send(client, 'alice/code', asked)).body as { readonly result: object };
    t.match(result, { structuredContent: { available: working, total: working ? 1 : 0 } });
  });

void t.test('changes while search or search-sql is off are found when it is on again', async (t) => {
  let forge = await startTestForge(t, { database: 'memory' });
  const world = await people(t, forge);
  const { push } = await checkout(t, world, 'code');
  await push({ 'a.txt': 'walrus\n', 'b.txt': 'walrus\n' });
  await repositoryOf(world.alice, 'alice', 'doomed', { 'c.txt': 'walrus\n' });
  await issue(world.alice, 'alice/code', 'A walrus');
  await filesOf(world.alice, 'walrus', 'a.txt', 'b.txt', 'c.txt');
  for (const [round, off] of ['search', 'search-sql', 'search,-search-sql'].entries()) {
    await forge.stop();
    forge = await startTestForge(t, { after: forge, environment: { HEXFORGE_PLUGINS: `-${off}` } });
    const alice = await forge.signIn('alice', 'password of alice');
    await put(alice, 'alice/code', 'a.txt', `seal ${round}\n`);
    await put(alice, 'alice/code', `walrus-${round}.txt`, 'walrus\n');
    await issue(alice, 'alice/code', `Another walrus ${round}`);
    if (round === 0)
      expect(await alice.delete(`${repos}/alice/doomed`, { body: { confirmation: 'alice/doomed' } }), 204);
    await repositoryOf(alice, 'alice', `new-${round}`, { [`new-${round}.txt`]: 'walrus\n' });
    await forge.forge.drained();
    await forge.stop();
    forge = await startTestForge(t, { after: forge });
    const back = await forge.signIn('alice', 'password of alice');
    const names = Array.from({ length: round + 1 }, (_, at) => [`walrus-${at}.txt`, `new-${at}.txt`]).flat();
    await filesOf(back, 'walrus', 'b.txt', ...names);
    await eventually(
      () => search(back, 'walrus'),
      ({ issues }) => issues.total === round + 2,
    );
    t.equal((await ask(back, 'walrus')).headers.get('x-search-fallback'), null);
  }
});
