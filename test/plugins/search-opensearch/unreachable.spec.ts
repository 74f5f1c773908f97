// A forge whose OpenSearch cannot be reached starts and works. Searches are answered without results.
import t from 'tap';
import { startTestForge } from '#test/support/forge';

void t.test('a forge without its OpenSearch is ready, degraded, and searches without results', async (t) => {
  const forge = await startTestForge(t, {
    configuration: { providers: { SearchBackend: 'search-opensearch' } },
    environment: {
      HEXFORGE_PLUGINS: '+search-opensearch',
      OPENSEARCH_URL: 'http://ada:sesame@127.0.0.1:9',
    },
  });
  const { status, body } = await forge.anonymous.get('/readyz');
  t.equal(status, 200);
  t.strictSame((body as { readonly degraded: readonly string[] }).degraded, ['search-opensearch']);
  const { state, reason } = forge.forge.plugins().find(({ name }) => name === 'search-opensearch') ?? {};
  t.equal(state, 'degraded');
  t.match(reason, /OpenSearch cannot be reached \(ECONNREFUSED\)/);

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

void t.test('if both back ends are enabled, the database answers unless the configuration chooses', async (t) => {
  const forge = await startTestForge(t, {
    environment: { HEXFORGE_PLUGINS: '+search-opensearch', OPENSEARCH_URL: 'http://127.0.0.1:9' },
  });
  const admin = await forge.administrator();
  const found = await admin.get('/api/v1/search?q=anything');
  t.equal(found.headers.get('x-search-fallback'), null);
});
