// Connects to a PostgreSQL server: pool options, the version check, and a sentence with its remedy for each kind of
// failure.
import { StorageRefused } from '../statements/errors.ts';
import type { PreparingClient } from '../statements/prepared-statements.ts';
import type { StallingClient } from '../statements/stalled-connections.ts';

export type PoolClient = PreparingClient & StallingClient;

/** The part of `pg`'s pool and clients that is used directly. */
export interface NativePool {
  connect(): Promise<NativeClient>;
  on(event: 'connect', listener: (client: PoolClient) => void): unknown;
}
export interface NativeClient {
  query(sql: string, values: readonly unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown;
  on(event: 'end' | 'error', listener: () => void): unknown;
  release(destroy?: boolean): void;
}

/** Connections for units of work and reads, in total and for one caller; the session uses one more. */
export const workers = { all: 12, caller: 10 } as const;
/** Time limit of waiting for a free connection; milliseconds. */
export const connectionPatience = 10_000;
const minimum = 15;

/**
 * Makes the server detect a vanished machine within 45 s and free its locks: before its intents expire, and not after
 * the kernel's default of two hours. No effect on a unix socket.
 */
const missedSoon =
  '-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 -c tcp_user_timeout=45000';

/** Time limits in milliseconds. */
export interface TimeLimits {
  /** Of a unit of work. */
  readonly deadline: number;
  /** Of a statement outside of units of work. */
  readonly readLimit: number;
}

/** The server's own limits are a little longer than those of the process, for a process that hangs. */
export function poolOptions(url: string, { deadline, readLimit }: TimeLimits): Readonly<Record<string, unknown>> {
  return {
    connectionString: url,
    max: workers.all + 1,
    connectionTimeoutMillis: connectionPatience,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    options: missedSoon,
    application_name: 'hexforge',
    statement_timeout: Math.min(readLimit, deadline),
    idle_in_transaction_session_timeout: deadline + 5000,
  };
}

/** Time limit of a reply, longer than the server's limit of a statement; milliseconds. */
export const replyPatience = (deadline: number): number => deadline * 1.2;

/** The host, user and database of a URL, without secrets. @throws {StorageRefused} */
export function addressOf(url: string): { readonly host: string; readonly user: string; readonly database: string } {
  try {
    const { protocol, host, username, pathname, searchParams } = new URL(url);
    if (protocol !== 'postgres:' && protocol !== 'postgresql:') throw new Error('another protocol');
    return {
      host: host || searchParams.get('host') || 'localhost',
      user: decodeURIComponent(username),
      database: decodeURIComponent(pathname.slice(1)),
    };
  } catch {
    throw new StorageRefused(
      'DATABASE_URL is not the address of a PostgreSQL database',
      'Write it as postgresql://USER:PASSWORD@HOST:5432/DATABASE',
    );
  }
}

/** Connects once. @throws {StorageRefused} */
export async function checkServer(pool: NativePool, url: string): Promise<void> {
  const { host, user, database } = addressOf(url);
  let client: NativeClient;
  try {
    client = await pool.connect();
  } catch (error) {
    throw refusal(error, { host, user, database });
  }
  try {
    const { rows } = await client.query(
      "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
      [],
    );
    if (Number(rows[0]?.['number']) < minimum * 10_000) {
      throw new StorageRefused(
        `The database server at "${host}" is PostgreSQL ${String(rows[0]?.['version'])}; Hexforge needs ${minimum} or later`,
        `Upgrade the server to PostgreSQL ${minimum} or later`,
      );
    }
  } finally {
    client.release();
  }
}

function refusal(error: unknown, { host, user, database }: ReturnType<typeof addressOf>): StorageRefused {
  const { code = '' } = error as { readonly code?: string };
  const message = error instanceof Error ? error.message : String(error);
  const refused = (what: string, remedy: string) =>
    new StorageRefused(`PostgreSQL at "${host}" ${what}`, remedy, error);
  if (code.startsWith('28') || /password|SASL|SCRAM/.test(message))
    return refused(
      `refused the user "${user}": the user name or password is wrong`,
      'Correct the user and password in DATABASE_URL',
    );
  if (code === '3D000')
    return refused(`has no database "${database}"`, `Create it: createdb ${JSON.stringify(database)}`);
  if (code.startsWith('57P') || code.startsWith('53'))
    return refused(
      `takes no connections now: ${message}`,
      'Wait until it has started, or free connections, and start again',
    );
  return refused(
    `cannot be reached${code === '' ? '' : ` (${code})`}`,
    'Check the host and port in DATABASE_URL and that the server is running',
  );
}
