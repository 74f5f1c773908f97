// Starts the embedded database of an earlier start in parallel with loading the plugins; the database has its own
// thread.
import { hasDatabase, startDatabase, type StartedDatabase } from '#adapters/postgres/embedded/started';
import type { Configuration } from '#host/configuration/configuration';
import type { Log } from '#core/kernel/services/log';
import { isMarked } from './data-directory.ts';

export class StorageAhead {
  #started: Promise<StartedDatabase> | undefined;

  /**
   * Starts the database only if this version last used the data directory: a refused start must neither create a
   * database nor upgrade one. Resolves when the thread runs, because loading modules blocks the event loop.
   */
  async begin({ database, dataDir, version }: Configuration, log: Log): Promise<void> {
    if (database.column === 'memory' || database.url !== undefined) return;
    if (!isMarked(dataDir, version) || !hasDatabase(dataDir)) return;
    this.#started = startDatabase(dataDir, log);
    // The cause may be gone when the storage is opened regularly; if not, the error is reported then.
    await this.#started.catch(() => {
      this.#started = undefined;
    });
  }

  /** Hands the started database to the caller, who must close it. */
  take(): Promise<StartedDatabase> | undefined {
    const started = this.#started;
    this.#started = undefined;
    return started;
  }

  /** Closes the database if it was not taken. */
  async drop(): Promise<void> {
    const started = await this.take();
    await started?.supervised.close();
    started?.unlock();
  }
}
