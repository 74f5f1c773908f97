// The kysely dialect of the embedded database: one connection, for one user at a time.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PGliteAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { SupervisedThread } from './supervisor.ts';
import type { DatabaseThread } from './thread.ts';

export function embeddedDialect(database: SupervisedThread): Dialect {
  return {
    createAdapter: () => new OneConnectionAdapter(),
    createDriver: () => new EmbeddedDriver(database),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Allows connections to be requested concurrently: `turns.ts` gives the connection to one user at a time. */
class OneConnectionAdapter extends PGliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class EmbeddedDriver implements Driver {
  readonly #database: SupervisedThread;
  /** The thread on which the open transaction was begun. */
  #transaction: DatabaseThread | undefined;
  readonly #connection: DatabaseConnection;

  constructor(database: SupervisedThread) {
    this.#database = database;
    this.#connection = {
      executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
        const { rows, affected } = await this.#thread.query(sql, parameters);
        return { rows: rows as R[], numAffectedRows: BigInt(affected) };
      },
      streamQuery() {
        throw new Error('the embedded database does not stream');
      },
    };
  }

  get #thread(): DatabaseThread {
    return this.#transaction ?? this.#database.thread;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    this.#transaction = this.#database.thread;
    await this.#thread.query('begin', []);
  }

  async commitTransaction(): Promise<void> {
    await this.#thread.query('commit', []);
  }

  async rollbackTransaction(): Promise<void> {
    await this.#thread.query('rollback', []);
  }

  async savepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    await this.#thread.query(`savepoint ${quoted(name)}`, []);
  }

  async rollbackToSavepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    await this.#thread.query(`rollback to ${quoted(name)}`, []);
  }

  async releaseSavepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    await this.#thread.query(`release ${quoted(name)}`, []);
  }

  async releaseConnection(): Promise<void> {
    this.#transaction = undefined;
  }

  async destroy(): Promise<void> {
    await this.#database.close();
  }
}

/** Quotes an identifier for PostgreSQL. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
