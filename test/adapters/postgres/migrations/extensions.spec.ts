// The required extension of every database of a forge, and the error if it cannot be installed.
import type { Kysely } from 'kysely';
import t from 'tap';
import { DatabaseFault, StorageRefused } from '#adapters/postgres/statements/errors';
import { ensureTrigrams } from '#adapters/postgres/migrations/extensions';
import { Unavailable } from '#core/kernel/errors';
import { eachSqlEngine } from '../../../contracts/storage/storage-engines.ts';

const failing = (error: Error) => ({ executeQuery: () => Promise.reject(error) }) as unknown as Kysely<unknown>;

void t.test('a database that cannot have it is rejected with a remedy', async (t) => {
  const denied = new DatabaseFault({ message: 'permission denied to create extension "pg_trgm"', code: '42501' });
  const error = await ensureTrigrams(failing(denied)).catch((thrown: unknown) => thrown);
  t.ok(error instanceof StorageRefused);
  t.match(error, { message: /lacks the extension "pg_trgm": permission denied/, remedy: /create extension pg_trgm/ });
});

void t.test('an unavailable database is not reported as lacking the extension', async (t) => {
  const away = new Unavailable('The database does not answer');
  await t.rejects(ensureTrigrams(failing(away)), away);
});

void t.test('the extension exists before any plugin and is kept', async (t) =>
  eachSqlEngine(t, async (t, storage) => {
    await storage.migrate([]);
    await ensureTrigrams(storage.database.kysely());
    const rows = await storage.database.em().execute("select extname from pg_extension where extname = 'pg_trgm'");
    t.strictSame(rows, [{ extname: 'pg_trgm' }]);
  }),
);
