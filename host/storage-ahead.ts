// The embedded database of an earlier start is started while the plugins are loaded: both take a while, each on a
// thread of its own.
import { hasDatabase, startDatabase, type StartedDatabase } from '#adapters/postgres/embedded/started';
import type { Configuration } from '#config/configuration';
import type { Log } from '#core/kernel/log';
import { isMarked } from './data-directory.ts';

export class StorageAhead {
  #started: Promise<StartedDatabase> | undefined;

  /**
   * Only where this version was at home before: a start that is refused makes no database and brings none to another
   * version. Resolves when the thread runs, for loading modules leaves nobody a turn.
   */
  async begin({ database, dataDir, version }: Configuration, log: Log): Promise<void> {
    if (database.column === 'memory' || database.url !== undefined) return;
    if (!isMarked(dataDir, version) || !hasDatabase(dataDir)) return;
    this.#started = startDatabase(dataDir, log);
    // What is in the way may be gone when it is opened in its turn, and is told then.
    await this.#started.catch(() => {
      this.#started = undefined;
    });
  }

  /** From now on it is the caller's. */
  take(): Promise<StartedDatabase> | undefined {
    const started = this.#started;
    this.#started = undefined;
    return started;
  }

  /** Ends it where nobody took it. */
  async drop(): Promise<void> {
    const started = await this.take();
    await started?.supervised.close();
    started?.unlock();
  }
}
