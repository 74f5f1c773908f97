// The HTTP suites run on the database that their column names, and nowhere else.
import { readdirSync } from 'node:fs';
import t from 'tap';
import { columnUnderTest, startTestForge } from '#test/support/forge';
import { query } from '#test/support/postgres';

const column = columnUnderTest();

void t.test(`the database under test is ${column}`, async (t) => {
  const forge = await startTestForge(t);
  const user = await forge.createUser('found-in-the-database');
  const embedded = readdirSync(forge.dataDir, { recursive: true }).some((path) => String(path).endsWith('PG_VERSION'));
  t.equal(embedded, column === 'embedded', 'an embedded cluster is in the data directory');
  t.equal(forge.databaseUrl !== undefined, column === 'postgresql', 'a PostgreSQL outside has a database for it');
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
    'what was written is there',
  );
});
