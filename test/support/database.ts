// The setting of a test run: the database of its forges, and whether it is the whole run.

/** Databases that forges of tests run on. */
export type Database = 'memory' | 'embedded' | 'postgresql';

const databases: readonly Database[] = ['memory', 'embedded', 'postgresql'];

/** HEXFORGE_TEST_DATABASE; each suite has a default. */
export function databaseUnderTest(): Database {
  const asked = process.env['HEXFORGE_TEST_DATABASE'] ?? 'memory';
  const database = databases.find((name) => name === asked);
  if (database === undefined)
    throw new Error(`HEXFORGE_TEST_DATABASE is "${asked}"; it can be ${databases.join(', ')}`);
  return database;
}

/** Whether this is `npm run test:all`, not `npm test`. */
export const wholeRun = process.env['HEXFORGE_TEST_WHOLE'] === 'true';
