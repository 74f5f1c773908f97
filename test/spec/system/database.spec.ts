// Tests that the HTTP suites run on the database that HEXFORGE_TEST_DATABASE names, and that a forge in memory works.
import { readdirSync } from 'node:fs';
import t from 'tap';
import { databaseUnderTest } from '#test/support/database';
import { startTestForge } from '#test/support/forge';
import { query } from '#test/support/servers/postgres';

const column = databaseUnderTest();

void t.test(`the database under test is ${column}`, async (t) => {
  const forge = await startTestForge(t);
  const user = await forge.createUser('found-in-the-database');
  const embedded = readdirSync(forge.dataDir, { recursive: true }).some((path) => String(path).endsWith('PG_VERSION'));
  t.equal(embedded, column === 'embedded', 'an embedded cluster is in the data directory');
  t.equal(forge.databaseUrl !== undefined, column === 'postgresql', 'an external PostgreSQL has a database for it');
  const found =
    forge.databaseUrl === undefined
      ? []
      : await query(
          forge.databaseUrl,
          "select id, version() from identity_user where username = 'found-in-the-database'",
        );
  t.strictSame(
    found.map(({ id }) => id),
    column === 'postgresql' ? [user.id] : [],
    'the user is in the database',
  );
});

void t.test('with `database: memory` people, repositories and files are served, and no database remains', async (t) => {
  const forge = await startTestForge(t, { database: 'memory' });
  const [alice, bob] = [await forge.createUser('alice'), await forge.createUser('bob')];
  const code = '/api/v1/repos/alice/code';
  t.equal((await alice.client.post('/api/v1/repos', { body: { name: 'code' } })).status, 201);
  t.equal((await bob.client.get(code)).status, 404);
  t.equal((await alice.client.put(`${code}/collaborators/bob`, { body: { role: 'write' } })).status, 204);
  t.match(await bob.client.get(code), { status: 200, body: { name: 'code', visibility: 'private' } });
  t.match(await bob.client.get('/api/v1/repos'), { status: 200, body: [{ name: 'code' }] });
  t.equal((await bob.client.put('/api/v1/user/starred/alice/code')).status, 204);
  t.match((await alice.client.get(code)).body, { stars_count: 1 });
  const content = Buffer.from('# One\n').toString('base64');
  const written = await bob.client.put(`${code}/contents/README.md`, { body: { message: 'One', content } });
  t.equal(written.status, 201);
  t.equal((await alice.client.get(`${code}/raw/main/README.md`)).text, '# One\n');
  t.match((await alice.client.get(`${code}/branches`)).body, { items: [{ name: 'main' }], total: 1 });
  t.equal((await alice.client.delete(code, { body: { confirmation: 'alice/code' } })).status, 204);
  t.strictSame((await alice.client.get('/api/v1/repos')).body, []);
  const found = readdirSync(forge.dataDir, { recursive: true }).map(String);
  t.strictSame(
    found.filter((path) => /PG_VERSION|^database/.test(path)),
    [],
  );
  t.equal(forge.databaseUrl, undefined);
});
