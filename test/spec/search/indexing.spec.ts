// GET /api/v1/admin/search/index and POST /api/v1/admin/search/reindex.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';
import type { Client } from '#test/support/clients/client';
import { eventually, expect, people, repositoryOf, search } from './world.ts';

const index = '/api/v1/admin/search/index';
const reindex = '/api/v1/admin/search/reindex';

interface State {
  readonly files: number;
  readonly waiting: number;
  readonly failing: number;
  readonly rebuilding: boolean;
}
const stateOf = async (admin: Client): Promise<State> => expect(await admin.get(index), 200).body as State;

void t.test('the state of the index', async (t) => {
  const forge = await sharedForge(t);
  const { alice } = await people(t, forge);
  const admin = await forge.administrator();
  await repositoryOf(alice, 'alice', 'site', { 'a.txt': 'a word\n', 'b.txt': 'another word\n' });
  const state = await eventually(
    () => stateOf(admin),
    ({ files, waiting }) => files === 2 && waiting === 0,
  );
  t.match(state, {
    files: 2,
    symbols: 0,
    documents: 0,
    waiting: 0,
    lag_seconds: 0,
    failing: 0,
    rebuilding: false,
    symbol_restarts: 0,
  });
});

void t.test('a repository is indexed again, and everything into a new index', async (t) => {
  const forge = await sharedForge(t);
  const { alice } = await people(t, forge);
  const admin = await forge.administrator();
  const id = await repositoryOf(alice, 'alice', 'site', { 'a.txt': 'zeppelin\n' });
  await eventually(
    () => search(alice, 'zeppelin'),
    ({ code }) => code.total === 1,
  );
  expect(await admin.post(reindex, { body: { repository: 'alice/site' } }), 202);
  const answer = expect(await admin.post(reindex, { body: {} }), 202);
  t.equal((answer.body as State).rebuilding, true);
  t.equal((await search(alice, 'zeppelin')).code.total, 1, 'the old index answers meanwhile');
  await eventually(
    () => stateOf(admin),
    ({ rebuilding, files }) => !rebuilding && files === 1,
    150,
  );
  t.equal((await search(alice, 'zeppelin')).code.total, 1);
  const log = await admin.get('/api/v1/admin/audit-log?action=search.reindexed');
  t.match(expect(log, 200).body, {
    entries: [
      { resource: 'search_index:all', details: {} },
      { resource: `repository:${id}`, details: { owner: 'alice', name: 'site' } },
    ],
  });
});

void t.test('only instance administrators, with admin:system', async (t) => {
  const forge = await sharedForge(t);
  const { alice } = await people(t, forge);
  const admin = await forge.administrator();
  t.equal((await admin.post(reindex, { body: { repository: 'nobody/nothing' } })).status, 404);
  t.equal((await admin.post(reindex, { body: { repository: 'nothing' } })).status, 404);
  t.equal((await admin.post(reindex, { body: { everything: true } })).status, 400);
  for (const ask of [(who: Client) => who.get(index), (who: Client) => who.post(reindex, { body: {} })]) {
    t.equal((await ask(forge.anonymous)).status, 401);
    t.equal((await ask(alice)).status, 403);
    const narrow = await ask(await forge.pat(admin, ['admin:users', 'repo:admin']));
    t.match(narrow, { status: 403, body: { error_code: 'insufficient_scope' } });
  }
  t.equal((await (await forge.pat(admin, ['admin:system'])).get(index)).status, 200);
});
