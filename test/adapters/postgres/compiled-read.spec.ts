// Reads compiled once, and reads that PostgreSQL plans once: the same answers for other values, and nothing of a value
// in a text.
import { sql, type Kysely } from 'kysely';
import t from 'tap';
import { compiledRead } from '#adapters/postgres/compiled-read';
import { preparedStatements, type PreparingClient } from '#adapters/postgres/prepared-statements';
import { testData, testEngines } from '#test/contracts/storage-engines';

interface Tables {
  hexforge_event: { id: string; type: string };
}

for (const engine of testEngines()) {
  if (engine === 'memory') continue;
  void t.test(`a compiled read on ${engine} answers for the values of each call`, async (t) => {
    const storage = await (await testData(t, engine)).open();
    if (storage.engine === 'memory') throw new Error('not an SQL engine');
    let built = 0;
    const read = compiledRead(
      ['word', 'number', 'nothing'],
      (
        db: Kysely<Tables>,
        { word, number, nothing }: { word: string; number: number; nothing: string | undefined },
      ) => {
        built += 1;
        return db.selectNoFrom([
          sql<string>`${word}::text`.as('word'),
          sql<number>`${number}::int`.as('number'),
          sql<string | null>`${nothing}::text`.as('nothing'),
        ]);
      },
    );
    const database = storage.database.kysely<Tables>();
    // Beyond the number of times after which the server plans it once.
    for (let n = 0; n < 12; n += 1)
      t.strictSame(await read(database, { word: `it's "${n}"`, number: n, nothing: undefined }), [
        { word: `it's "${n}"`, number: n, nothing: null },
      ]);
    await storage.unitOfWork.run(async () => {
      t.match(await read(storage.database.kysely<Tables>(), { word: 'inside', number: 1, nothing: 'x' }), [
        { word: 'inside', nothing: 'x' },
      ]);
    });
    t.equal(built, 1);
  });
}

void t.test('a read that comes again is prepared, what writes or names no columns is not', (t) => {
  const asked: unknown[] = [];
  const client: PreparingClient = { query: (statement) => asked.push(statement) };
  preparedStatements()(client);
  const sent = (text: string): unknown => {
    for (let n = 0; n < 10; n += 1) client.query(text, [n]);
    return asked.at(-1);
  };
  t.match(sent('select "id" from a where "id" = $1'), {
    text: 'select "id" from a where "id" = $1',
    values: [9],
    name: 'read_0',
  });
  t.match(sent('select count(*) from a where "id" = $1'), { name: 'read_1' });
  for (const text of [
    'select * from a where "id" = $1',
    'select "a".* from a where "id" = $1',
    'insert into a values ($1)',
    'update a set "id" = $1',
  ])
    t.equal(sent(text), text);
  client.query('select 1');
  t.equal(asked.at(-1), 'select 1', 'nor what has no parameters');
  for (let n = 0; n < 1000; n += 1) client.query(`select ${n} where $1`, [n]);
  t.equal(
    sent('select "late" where $1'),
    'select "late" where $1',
    'a process that makes ever new texts stops preparing',
  );
  t.end();
});
