// The one dedicated connection of a process, for features bound to a database session: advisory locks, and LISTEN for
// notifications of other processes.
import { setTimeout as pause } from 'node:timers/promises';
import { KeyedMutex } from '#core/kernel/limits/fair-limiter';
import type { Log } from '#core/kernel/services/log';
import { translated } from '../statements/errors.ts';
import { limited } from '../statements/limited.ts';
import type { NativeClient, NativePool } from './server.ts';

/** Time limit of `close` for releasing its locks; milliseconds. */
const timeLimit = 1000;

export class Session {
  readonly #pool: NativePool;
  readonly #log: Log;
  /** `pg` accepts one query at a time on a connection. */
  readonly #mutex = new KeyedMutex();
  #client: NativeClient | undefined;
  #listener:
    | { readonly channel: string; readonly heard: (payload: string) => void; readonly restored: () => void }
    | undefined;
  #restoring = false;
  #closed = false;
  /** Incremented with each connection made or lost: locks of an earlier generation are gone. */
  generation = 0;

  constructor(pool: NativePool, log: Log) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Runs one short statement. @throws {Unavailable} */
  async query(sql: string, values: readonly unknown[]): Promise<readonly Record<string, unknown>[]> {
    try {
      return await this.#mutex.run('query', async () => (await (await this.#connected()).query(sql, values)).rows);
    } catch (error) {
      throw translated(error);
    }
  }

  /**
   * Starts listening, and continues after reconnections. @param restored is called when notifications may have been
   * missed.
   */
  async listen(channel: string, heard: (payload: string) => void, restored: () => void): Promise<void> {
    this.#listener = { channel, heard, restored };
    await this.query(`listen ${channel}`, []);
  }

  /**
   * Releases the locks explicitly first: PostgreSQL detects a disconnected client with a delay, during which other
   * processes could not take them.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    const unlocked = this.#mutex.run('query', () => client.query('select pg_advisory_unlock_all()', []));
    await limited(
      timeLimit,
      unlocked.catch(() => undefined),
    );
    client.release(true);
  }

  async #connected(): Promise<NativeClient> {
    if (this.#closed) throw new Error('Client was closed');
    if (this.#client !== undefined) return this.#client;
    const client = await this.#pool.connect();
    if (this.#closed) {
      client.release(true);
      throw new Error('Client was closed');
    }
    this.generation += 1;
    this.#client = client;
    const lost = () => {
      if (this.#client === client) this.#lost(client);
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => this.#listener?.heard(payload ?? ''));
    return client;
  }

  #lost(client: NativeClient): void {
    this.#client = undefined;
    this.generation += 1;
    client.release(true);
    this.#log.warn({}, 'the session with PostgreSQL was lost; its locks are gone, connecting again');
    if (this.#listener !== undefined) void this.#restore();
  }

  async #restore(): Promise<void> {
    if (this.#restoring) return;
    this.#restoring = true;
    for (let wait = 100; !this.#closed; wait = Math.min(5000, wait * 2)) {
      await pause(wait, undefined, { ref: false });
      const listener = this.#listener;
      if (listener === undefined) break;
      try {
        await this.query(`listen ${listener.channel}`, []);
        listener.restored();
        break;
      } catch {
        /* Still unavailable. */
      }
    }
    this.#restoring = false;
  }
}
