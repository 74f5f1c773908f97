// The search with plugins switched off: without itself its routes and tools are absent, without issues or merges their
// sections are empty.
import t from 'tap';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import { namesOf } from '../mcp/wire.ts';
import { ask, empty, eventually, expect, filesOf, people, repositoryOf, search } from './world.ts';

const mcp = ['mcp:read', 'repo:read', 'issue:read'] as const;

void t.test('without the plugin search', async (t) => {
  const forge = await startTestForge(t, { environment: { HEXFORGE_PLUGINS: '-search' } });
  const { alice } = await people(t, forge);
  await repositoryOf(alice, 'alice', 'code', { 'a.txt': 'walrus\n' });
  for (const path of ['search', 'search/code', 'search/suggest'])
    isError(t, await alice.get(`/api/v1/${path}?q=walrus`), 404, 'not_found', path);
  const tools = await namesOf(await forge.pat(alice, mcp), 'alice/code');
  t.ok(tools.includes('read_file'));
  t.strictSame(
    tools.filter((name) => name === 'search_code' || name === 'find_symbol'),
    [],
  );
  const ready = expect(await forge.anonymous.get('/readyz'), 200).body as { readonly details?: object };
  t.notOk(Object.hasOwn(ready.details ?? {}, 'search'));
  const admin = await forge.administrator();
  t.equal((await admin.get('/api/v1/admin/settings/search.docs.repositories')).status, 404);
});

void t.test('without the plugins issues and merges', async (t) => {
  const forge = await startTestForge(t, { environment: { HEXFORGE_PLUGINS: '-issues,-merges' } });
  const { alice } = await people(t, forge);
  await repositoryOf(alice, 'alice', 'code', { 'a.ts': 'export const walrus = 1;\n' });
  const { symbols } = await filesOf(alice, 'walrus', 'a.ts');
  t.equal(symbols.total, 1);
  for (const more of [{}, { types: 'issues,mrs' }, { sort: 'recent' }] as Readonly<Record<string, string>>[]) {
    const answer = expect(await ask(alice, 'walrus', more), 200);
    t.match(answer.body, { issues: empty, mrs: empty, docs: empty });
    t.equal(answer.headers.get('x-search-fallback'), null);
  }
  const repoOnly = await forge.pat(alice, ['repo:read']);
  t.equal((await search(repoOnly, 'walrus')).code.total, 1);
  isError(
    t,
    await ask(await forge.pat(alice, ['issue:read']), 'walrus'),
    403,
    'insufficient_scope',
    'no section is left',
  );
  const ready = await eventually(
    () => forge.anonymous.get('/readyz'),
    ({ body }) => (body as { details: { search: { waiting: number } } }).details.search.waiting === 0,
  );
  t.match(ready.body, { details: { search: { lag_seconds: 0, failing: 0, rebuilding: false } } });
});
