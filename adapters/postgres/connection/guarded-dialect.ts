// A decorator of kysely dialects: connections are shared by fair queuing, errors are translated, failed transactions
// cannot be committed, and broken connections are released.
import type { DatabaseConnection, Dialect, Driver, TransactionSettings } from 'kysely';
import { KeyedMutex } from '#core/kernel/limits/fair-limiter';
import { translated } from '../statements/errors.ts';
import type { ConnectionSlots } from './connection-slots.ts';

type Savepoints = Required<Pick<Driver, 'savepoint' | 'rollbackToSavepoint' | 'releaseSavepoint'>>;
type SavepointArguments = Parameters<Savepoints['savepoint']>;

/**
 * How a driver treats concurrent statements on one connection: it queues them in order, or it requires the previous one
 * to finish first, as `pg` does. Stores work with both.
 */
type Statements = 'ordered' | 'one at a time';

/** Guards the connections of `dialect`, and returns the dialect. */
export function guarded<D extends Dialect>(
  dialect: D,
  turns: ConnectionSlots,
  statements: Statements = 'one at a time',
): D {
  const create = dialect.createDriver.bind(dialect);
  dialect.createDriver = () => new GuardedDriver(create(), turns, statements);
  return dialect;
}

class GuardedDriver implements Driver {
  readonly #driver: Driver;
  readonly #turns: ConnectionSlots;
  readonly #statements: Statements;
  /** Releases the slot of each connection that is in use. */
  readonly #ends = new WeakMap<DatabaseConnection, () => void>();
  readonly #seen = new WeakSet<DatabaseConnection>();
  /**
   * Connections whose transaction has a failed statement. PostgreSQL answers COMMIT of such a transaction with a silent
   * ROLLBACK: a caller that swallowed the error would believe that its changes were saved.
   */
  readonly #failed = new WeakSet<DatabaseConnection>();

  constructor(driver: Driver, turns: ConnectionSlots, statements: Statements) {
    this.#driver = driver;
    this.#turns = turns;
    this.#statements = statements;
  }

  async init(...options: Parameters<Driver['init']>): Promise<void> {
    await this.#driver.init(...options);
  }

  async acquireConnection(...options: Parameters<Driver['acquireConnection']>): Promise<DatabaseConnection> {
    const end = await this.#turns.take();
    let connection: DatabaseConnection;
    try {
      connection = await this.#driver.acquireConnection(...options);
    } catch (error) {
      end();
      throw translated(error);
    }
    this.#ends.set(connection, end);
    if (!this.#seen.has(connection)) this.#watch(connection);
    this.#failed.delete(connection);
    return connection;
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    try {
      await this.#driver.beginTransaction(connection, settings);
    } catch (error) {
      // kysely does not release a connection whose BEGIN failed, so the pool would run out of connections.
      await this.releaseConnection(connection);
      throw error;
    }
    this.#failed.delete(connection);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#failed.has(connection))
      throw new Error(
        'a statement of this transaction failed and its error was swallowed: nothing of it can be committed',
      );
    await this.#driver.commitTransaction(connection);
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // If the connection is broken, the server has rolled back by itself. kysely releases the connection only when this
    // resolves.
    await this.#driver.rollbackTransaction(connection).catch(() => undefined);
  }

  async savepoint(...[connection, ...rest]: SavepointArguments): Promise<void> {
    await this.#driver.savepoint?.(connection, ...rest);
  }

  async rollbackToSavepoint(...[connection, ...rest]: SavepointArguments): Promise<void> {
    await this.#driver.rollbackToSavepoint?.(connection, ...rest);
    this.#failed.delete(connection);
  }

  async releaseSavepoint(...[connection, ...rest]: SavepointArguments): Promise<void> {
    await this.#driver.releaseSavepoint?.(connection, ...rest);
  }

  async releaseConnection(...[connection, ...rest]: Parameters<Driver['releaseConnection']>): Promise<void> {
    // After the release another caller may get the connection at once.
    const end = this.#ends.get(connection);
    this.#ends.delete(connection);
    try {
      await this.#driver.releaseConnection(connection, ...rest);
    } finally {
      end?.();
    }
  }

  async destroy(...options: Parameters<Driver['destroy']>): Promise<void> {
    await this.#driver.destroy(...options);
  }

  #watch(connection: DatabaseConnection): void {
    this.#seen.add(connection);
    const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
    const mutex = this.#statements === 'ordered' ? undefined : new KeyedMutex();
    connection.executeQuery = async (...query) => {
      try {
        return await (mutex?.run('query', () => execute(...query)) ?? execute(...query));
      } catch (error) {
        this.#failed.add(connection);
        throw translated(error);
      }
    };
  }
}
