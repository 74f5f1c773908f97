// Compiled and prepared reads: correct results for other values, and no value in the SQL text.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import t from 'tap';
import { compiledRead } from '#adapters/postgres/statements/compiled-read';
import { preparedStatements, type PreparingClient } from '#adapters/postgres/statements/prepared-statements';
import { testData, testEngines } from '#test/contracts/storage/storage-engines';

interface Tables {
  hexforge_event: { id: string; type: string };
}

for (const engine of testEngines()) {
  if (engine === 'memory') continue;
  void t.test(`a compiled read on ${engine} returns the result for the values of each call`, async (t) => {
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
    // More calls than the server needs to switch to a generic plan.
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

void t.test('a prepared read of the embedded database', async (t) => {
  const storage = await (await testData(t, 'embedded')).open();
  if (storage.engine === 'memory') throw new Error('not an SQL engine');
  const { database, unitOfWork } = storage;
  const asked = (query: RawBuilder<unknown>) => query.execute(database.kysely());
  const moment = new Date('2026-11-23T17:51:58.719Z');
  const values = (
    n: number,
  ) => sql`select ${n}::int as int, ${n * 1e9}::int8 as big, ${n % 2 === 0}::bool as even, ${'ä "\\ \''}::text as text,
      ${moment}::timestamptz as moment, ${['a', 'b,"c']}::text[] as texts, ${[moment]}::timestamptz[] as moments,
      ${JSON.stringify({ n })}::jsonb as json, ${null}::text as nothing`;
  await t.test('returns the same as an unprepared read, for every type', async (t) => {
    const answers: unknown[] = [];
    for (let n = 0; n < 10; n += 1) answers.push(...(await asked(values(n))).rows);
    t.strictSame(
      answers,
      answers.map((_, n) => ({
        int: n,
        big: n * 1e9,
        even: n % 2 === 0,
        text: 'ä "\\ \'',
        moment,
        texts: ['a', 'b,"c'],
        moments: [moment],
        json: { n },
        nothing: null,
      })),
    );
  });

  await t.test('rejects when it fails, and returns a result the next time', async (t) => {
    const quotient = (n: number) => asked(sql`select 12 / ${n}::int as quotient`);
    for (let n = 0; n < 10; n += 1) t.match(await quotient(4), { rows: [{ quotient: 3 }] });
    await t.rejects(quotient(0), { message: 'division by zero' });
    t.match(await quotient(6), { rows: [{ quotient: 2 }] });
    const identifier = (text: string) => asked(sql`select ${text}::uuid as id`);
    const id = '00000000-0000-4000-8000-000000000000';
    for (let n = 0; n < 10; n += 1) t.match(await identifier(id), { rows: [{ id }] });
    await t.rejects(identifier('none'), { message: /^invalid input syntax for type uuid/ });
    t.match(await identifier(id), { rows: [{ id }] });
    await t.rejects(
      unitOfWork.run(async () => {
        await quotient(0).catch(() => undefined);
        await t.rejects(quotient(3), { message: /^current transaction is aborted/ });
        await quotient(3);
      }),
    );
    t.match(await quotient(12), { rows: [{ quotient: 1 }] });
    const { rows } = await asked(sql`select name from pg_prepared_statements`);
    t.equal(rows.length, 3, 'all were prepared');
  });

  await t.test('returns columns and rows that were added later', async (t) => {
    await sql`create table late (id int primary key)`.execute(database.kysely());
    const ids = () => asked(sql`select "id" from late where "id" < ${10}`);
    for (let n = 0; n < 10; n += 1) t.strictSame((await ids()).rows, []);
    await sql`insert into late values (1)`.execute(database.kysely());
    t.strictSame((await ids()).rows, [{ id: 1 }]);
    await sql`alter table late add column name text default 'x'`.execute(database.kysely());
    t.strictSame((await ids()).rows, [{ id: 1 }]);
  });
});

void t.test('a repeated read is prepared; writes and reads without named columns are not', (t) => {
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
  t.equal(asked.at(-1), 'select 1', 'a text without parameters is not');
  for (let n = 0; n < 1000; n += 1) client.query(`select ${n} where $1`, [n]);
  t.match(sent('select "late" where $1'), { name: 'read_2' }, 'texts that occur once use up no slots');
  const long = `select ${'$1, '.repeat(10_000)} where $1`;
  t.equal(sent(long), long, 'a text with a long list');
  for (let n = 0; n < 300; n += 1) sent(`select ${n} where $1`);
  const later = 'select "later" where $1';
  t.equal(sent(later), later, 'a process with too many different texts stops preparing');
  t.end();
});
