// The limit of open files of the embedded database.
import { sql } from 'kysely';
import t from 'tap';
import { openFiles } from '#adapters/postgres/embedded/durable-fs';
import { testData } from '#test/contracts/storage/storage-engines';

void t.test('the limit of open files of the embedded database', { timeout: 60_000 }, async (t) => {
  await t.test('is a quarter of the process limit, between 64 and 1000', (t) => {
    t.strictSame([128, 256, 1024, 2048, 1_048_576].map(openFiles), [64, 64, 256, 512, 1000]);
    t.end();
  });

  await t.test('is set as max_files_per_process', async (t) => {
    const storage = await (await testData(t, 'embedded')).open();
    if (storage.engine === 'memory') throw new Error('not an SQL engine');
    const { rows } = await sql<{
      files: string;
    }>`select current_setting('max_files_per_process') as files`.execute(storage.database.kysely());
    t.equal(rows[0]?.files, String(openFiles()));
  });
});
