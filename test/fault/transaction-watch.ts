// Detects whether a stopped server is in a transaction: by a query on PostgreSQL, by a preloaded module with the
// embedded database.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export const watchedPreload = new URL('transaction-watch-preload.ts', import.meta.url).href;

/** `stateFile` is the file that the preloaded module of the server writes. */
export async function transactionOpen(stateFile: string, databaseUrl: string | undefined): Promise<boolean> {
  if (databaseUrl === undefined) return (await readFile(stateFile, 'utf8').catch(() => '')).startsWith('1');
  const { stdout } = await promisify(execFile)('psql', [
    '-X',
    '-A',
    '-t',
    '-d',
    databaseUrl,
    '-c',
    `
    select count(*) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and xact_start is not null`,
  ]);
  return Number(stdout) > 0;
}
