// A forge whose OpenSearch cannot be reached starts and works. Searches are answered without results.
import t, { type Test } from 'tap';
import { startTestForge, type TestForge } from '#test/support/forge';
import { openDoor, type Door } from '../../adapters/opensearch/door.ts';

/** Starts a forge whose search is in OpenSearch at this address. */
const forgeWith = (t: Test, url: string): Promise<TestForge> =>
  startTestForge(t, {
    configuration: { providers: { SearchBackend: 'search-opensearch' } },
    environment: { HEXFORGE_PLUGINS: '+search-opensearch', OPENSEARCH_URL: url },
  });

for (const [what, address, reason] of [
  ['is down', async () => 'http://127.0.0.1:9', /OpenSearch cannot be reached \(ECONNREFUSED\)/],
  ['never answers', async (t: Test) => (await silentDoor(t)).url, /OpenSearch did not answer in time/],
] as const)
  void t.test(`a forge whose OpenSearch ${what} is ready, degraded, and searches without results`, async (t) => {
    const url = (await address(t)).replace('http://', 'http://ada:sesame@');
    const forge = await forgeWith(t, url);
    const { status, body } = await forge.anonymous.get('/readyz');
    t.equal(status, 200);
    t.strictSame((body as { readonly degraded: readonly string[] }).degraded, ['search-opensearch']);
    const plugin = forge.forge.plugins().find(({ name }) => name === 'search-opensearch');
    t.equal(plugin?.state, 'degraded');
    t.match(plugin?.reason, reason);

    const admin = await forge.administrator();
    const found = await admin.get('/api/v1/search?q=anything&types=code,symbols,issues,mrs,docs');
    t.equal(found.status, 200);
    t.equal(found.headers.get('x-search-fallback'), 'true');
    const none = { total: 0, hits: [] };
    t.strictSame(found.body, { code: none, symbols: none, issues: none, mrs: none, docs: none });
    const created = await admin.post('/api/v1/repos', { body: { name: 'site', visibility: 'public' } });
    t.equal(created.status, 201, 'everything else works');
    t.notMatch(forge.output.stderr + forge.output.stdout, /sesame|YWRhOnNlc2FtZQ/);
  });

async function silentDoor(t: Test): Promise<Door> {
  const door = await openDoor(t);
  door.intercept(() => true);
  return door;
}

void t.test('if both back ends are enabled, the database answers unless the configuration chooses', async (t) => {
  const forge = await startTestForge(t, {
    environment: { HEXFORGE_PLUGINS: '+search-opensearch', OPENSEARCH_URL: 'http://127.0.0.1:9' },
  });
  const admin = await forge.administrator();
  const found = await admin.get('/api/v1/search?q=anything');
  t.equal(found.headers.get('x-search-fallback'), null);
});
