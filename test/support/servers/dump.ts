// Reads every row of every table of a forge's database as text, so that tests can search everything that is stored.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { query } from './postgres.ts';

type Ask = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const tablesQuery = `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`;

async function everything(ask: Ask): Promise<string> {
  const lines: string[] = [];
  for (const { name } of await ask(tablesQuery)) {
    for (const { row } of await ask(`select t::text as row from ${String(name)} t`))
      lines.push(`${String(name)} ${String(row)}`);
  }
  return lines.join('\n');
}

/** A forge with an embedded database must be stopped first, because opening it twice would corrupt it. */
export async function dump({
  dataDir,
  databaseUrl,
}: {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}): Promise<string> {
  if (databaseUrl !== undefined) return everything((sql) => query(databaseUrl, sql));
  const mark = readdirSync(dataDir, { recursive: true })
    .map(String)
    .find((path) => /^[^/]+\/PG_VERSION$/.test(path));
  if (mark === undefined) throw new Error(`there is no embedded database in ${dataDir}`);
  const database = await PGlite.create({ dataDir: join(dataDir, mark, '..'), extensions: { pg_trgm } });
  try {
    return await everything(async (sql) => (await database.query<Readonly<Record<string, unknown>>>(sql)).rows);
  } finally {
    await database.close();
  }
}
