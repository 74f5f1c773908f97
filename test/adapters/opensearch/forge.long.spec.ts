// A whole forge with its search index in OpenSearch.
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { eventually, expect, pathsOf, people, put, repositoryOf, repos, search } from '../../spec/search/world.ts';
import { onOpenSearch, startedNode } from './node-under-test.ts';

const task = '00000000-0000-4000-8000-000000000003';

void onOpenSearch(t).test('a forge with OpenSearch', async (t) => {
  const node = await startedNode(t);
  const { forge, alice, bob } = await people(
    t,
    await startTestForge(t, {
      configuration: { providers: { SearchBackend: 'search-opensearch' } },
      environment: { HEXFORGE_PLUGINS: '+search-opensearch', OPENSEARCH_URL: node.url },
    }),
  );
  await repositoryOf(alice, 'alice', 'open', { 'src/zeppelin.ts': 'export function zeppelin() {}\n' });
  await repositoryOf(alice, 'alice', 'closed', { 'src/secret.ts': 'export const zeppelin = 1;\n' }, 'private');

  await t.test('files, definitions and issues are found, by those who may read them', async (t) => {
    const issue = { title: 'Broken zeppelin', description: 'It does not fly', issue_type_id: task };
    expect(await alice.post(`${repos}/alice/open/issues`, { body: issue }), 201);
    const own = await eventually(
      () => search(alice, 'zeppelin'),
      ({ code, symbols, issues }) => code.total === 2 && symbols.total === 2 && issues.total === 1,
    );
    t.strictSame(pathsOf(own.code), ['src/zeppelin.ts', 'src/secret.ts']);
    const others = await search(bob, 'zeppelin');
    t.strictSame([others.code.total, others.symbols.total, others.issues.total], [1, 1, 1]);
    t.strictSame(pathsOf(others.code), ['src/zeppelin.ts']);
  });

  await t.test('a change of access counts at once, and a push within seconds', async (t) => {
    expect(await alice.patch(`${repos}/alice/closed`, { body: { visibility: 'public' } }), 200);
    t.equal((await search(bob, 'zeppelin')).code.total, 2);
    expect(await alice.patch(`${repos}/alice/closed`, { body: { visibility: 'private' } }), 200);
    t.equal((await search(bob, 'zeppelin')).code.total, 1);
    await put(alice, 'alice/open', 'src/zeppelin.ts', 'export function airship() {}\n');
    await eventually(
      () => search(bob, 'airship'),
      ({ code }) => code.total === 1,
    );
  });

  await t.test('while OpenSearch is down the forge is ready, and it catches up afterwards', async (t) => {
    await node.stop();
    await put(alice, 'alice/open', 'src/late.ts', 'export const dirigible = 2;\n');
    await eventually(
      () => forge.anonymous.get('/readyz'),
      ({ status, text }) => status === 200 && text.includes('search-opensearch'),
      30,
    );
    t.strictSame((await search(bob, 'airship')).code, { total: 0, hits: [] });
    await node.start();
    await eventually(
      () => search(bob, 'dirigible'),
      ({ code }) => code.total === 1,
      120,
    );
    await eventually(
      () => forge.anonymous.get('/readyz'),
      ({ text }) => !text.includes('search-opensearch'),
      30,
    );
  });
});
