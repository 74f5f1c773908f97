// The kysely dialect of the embedded database: a pool of one connection, handed out in the order it was asked for.
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
import { KeyedMutex } from '#core/kernel/keyed-mutex';
import type { DatabaseThread } from './thread.ts';

export function embeddedDialect(thread: DatabaseThread): Dialect {
  return {
    createAdapter: () => new OneConnectionAdapter(),
    createDriver: () => new EmbeddedDriver(thread),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** The driver below already hands its connection to one user at a time. */
class OneConnectionAdapter extends PGliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class EmbeddedDriver implements Driver {
  readonly #thread: DatabaseThread;
  readonly #connection: DatabaseConnection;
  readonly #mutex = new KeyedMutex();
  #letGo: () => void = () => undefined;

  constructor(thread: DatabaseThread) {
    this.#thread = thread;
    this.#connection = {
      async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
        const { rows, affected } = await thread.query(sql, parameters);
        return { rows: rows as R[], numAffectedRows: BigInt(affected) };
      },
      streamQuery() {
        throw new Error('the embedded database does not stream');
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#letGo = await this.#mutex.acquire('connection');
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
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
    this.#letGo();
  }

  async destroy(): Promise<void> {
    await this.#thread.close();
  }
}

/** An identifier as PostgreSQL quotes it. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
