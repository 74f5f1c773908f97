// The database of one test host: in memory, an embedded one, or a separate one on a PostgreSQL server.
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';

export interface TestDatabase {
  /** The environment variables that make the forge use it. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** @param database `memory`, `embedded` or the URL of a server. */
export async function testDatabase(database: string, dataDir: string): Promise<TestDatabase> {
  if (database === 'memory') return { environment: { HEXFORGE_DATABASE: 'memory' }, remove: async () => undefined };
  if (database === 'embedded') {
    const { layCluster } = await import('./cluster.ts');
    await layCluster(dataDir);
    return { environment: { HEXFORGE_DATABASE: 'sql' }, remove: async () => undefined };
  }
  // A separate database instead of a schema, because events and locks span a whole database.
  const name = `hexforge_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await administer(database, `create database ${name}`);
  const url = new URL(database);
  url.pathname = `/${name}`;
  return {
    environment: { HEXFORGE_DATABASE: 'sql', DATABASE_URL: url.href },
    remove: () => administer(database, `drop database if exists ${name} with (force)`),
  };
}

async function administer(url: string, statement: string): Promise<void> {
  const { openEmpty } = await import('./cluster.ts');
  const storage = await openEmpty({ url, directory: tmpdir() });
  try {
    await storage.database.em().execute(statement);
  } finally {
    await storage.close();
  }
}
