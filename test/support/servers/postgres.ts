// Databases for tests on a real PostgreSQL server: a new one for each forge, copied from a migrated template.
import { randomBytes } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';

const server = (): string => {
  const url = process.env['HEXFORGE_TEST_POSTGRES_URL'];
  if (url === undefined || url === '')
    throw new Error(
      'HEXFORGE_TEST_DATABASE is "postgresql" and HEXFORGE_TEST_POSTGRES_URL names no server; set it to a URL whose user may create databases, such as postgres://postgres@127.0.0.1:5432/postgres',
    );
  return url;
};

async function administer<T>(work: (execute: (sql: string) => Promise<unknown>) => Promise<T>): Promise<T> {
  const orm = await MikroORM.init({ clientUrl: server(), entities: [], discovery: { warnWhenNoEntities: false } });
  try {
    return await work((sql) => orm.em.getConnection().execute(sql));
  } finally {
    await orm.close(true);
  }
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Creates a database, empty or as a copy of the one at `source`, which must have no connections. */
export async function createDatabase(source?: string): Promise<TestDatabase> {
  const name = `hexforge_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await administer((execute) =>
    execute(
      `create database "${name}"${source === undefined ? '' : ` template "${new URL(source).pathname.slice(1)}"`}`,
    ),
  );
  const url = new URL(server());
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () =>
      administer(async (execute) => {
        await execute(`drop database if exists "${name}" with (force)`);
      }),
  };
}

/** Runs one query on a database and returns its rows. */
export async function query(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const orm = await MikroORM.init({ clientUrl: url, entities: [], discovery: { warnWhenNoEntities: false } });
  try {
    return await orm.em.getConnection().execute(sql);
  } finally {
    await orm.close(true);
  }
}
