// Intents: committed records of changes outside the database that are not yet concluded, each owned by a process.
import { type Kysely, sql } from 'kysely';
import { Conflict, Unavailable } from '#core/kernel/errors';
import { intentNotOpen } from '#core/kernel/storage/intent-not-open';
import type { Log } from '#core/kernel/services/log';
import type { Clock, Ids } from '#core/kernel/time';
import type { Intent, Intents } from '#core/kernel/storage/unit-of-work';
import { isAlive, type ProcessIdentity } from './process-identity.ts';
import type { SystemTables } from '../statements/schema.ts';
import type { Transactions } from './unit-of-work.ts';

export interface IntentsOptions {
  readonly transactions: Transactions;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Absent on the embedded database: no other process can have it open, so every other owner has ended. */
  readonly identity?: ProcessIdentity;
}

const renewEvery = 10_000;
/** A process on another host whose row was not renewed for this long counts as dead. */
const longAgo = sql<Date>`clock_timestamp() - interval '60 seconds'`;
const atOnce = sql<Date>`clock_timestamp()`;
/** After this time an INSERT sent before its connection broke has either run or will never run. */
const doubtMs = 5 * 60_000;

/** The process that owns an intent; nulls if its row does not exist. */
interface OwnerRow {
  readonly process_id: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly started: string | null;
  readonly expired: boolean | null;
}

export class SqlIntents implements Intents {
  readonly #options: IntentsOptions;
  /**
   * The id of this opening of the database. A process gets a new one when it opens the database again, and after other
   * processes took it for dead.
   */
  #owner: string;
  /** Ids of intents whose INSERT had no reply, with the time until which each may still appear. */
  readonly #doubtful = new Map<string, number>();
  #registered: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor(options: IntentsOptions) {
    this.#options = options;
    this.#owner = options.ids.uuid();
  }

  async open<D>({ kind, subject, detail }: Pick<Intent<D>, 'kind' | 'subject' | 'detail'>): Promise<Intent<D>> {
    const { transactions, clock, ids } = this.#options;
    if (transactions.active)
      throw new Error(
        `the intent "${kind}" was opened inside a unit of work: it must be committed before the change begins`,
      );
    await this.#register();
    const intent: Intent<D> = { id: ids.uuid(), kind, subject, detail: structuredClone(detail), openedAt: clock.now() };
    const insert = (): Promise<unknown> =>
      this.#database()
        .insertInto('hexforge_intent')
        .values({
          id: intent.id,
          kind,
          subject,
          detail: JSON.stringify(detail ?? null),
          process_id: this.#owner,
          opened_at: intent.openedAt,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    try {
      // If the connection broke, only the reply may be lost; a retry with the same id creates no second intent.
      await insert().catch((error: unknown) => {
        if (!(error instanceof Unavailable)) throw error;
        return insert();
      });
    } catch (error) {
      if (error instanceof Unavailable) this.#doubtful.set(intent.id, performance.now() + doubtMs);
      throw error;
    }
    return intent;
  }

  /** @throws {Conflict} if the intent was already closed: its outcome must not be recorded twice. */
  async close(id: string): Promise<void> {
    if (!this.#options.transactions.active)
      throw new Error('an intent is closed inside the unit of work that records its outcome');
    const { numDeletedRows } = await this.#database()
      .deleteFrom('hexforge_intent')
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new Conflict('The change was concluded already', { detail: `Intent ${id}` });
  }

  async renew(id: string): Promise<void> {
    const { transactions, identity } = this.#options;
    if (transactions.active) throw new Error('an intent is renewed outside of units of work: the change is none of it');
    const intents = this.#database().selectFrom('hexforge_intent as i').where('i.id', '=', id);
    // On the embedded database no other process can close the intent, so reading it is enough. On a server the update
    // of the process's row competes with the row's removal; the first one wins.
    const found =
      identity === undefined
        ? await intents.select('i.id').execute()
        : await this.#database()
            .updateTable('hexforge_process as p')
            .set({ renewed_at: atOnce })
            .where('p.id', 'in', intents.select('i.process_id'))
            .returning('p.id')
            .execute();
    if (found.length === 0) throw intentNotOpen(id);
  }

  async hold(id: string): Promise<void> {
    const { transactions, identity } = this.#options;
    if (!transactions.active) throw new Error('an intent is held inside the unit of work it depends on');
    const intents = this.#database().selectFrom('hexforge_intent as i').where('i.id', '=', id).select('i.id');
    const found =
      identity === undefined
        ? await intents.forUpdate().execute()
        : await intents
            .innerJoin('hexforge_process as p', 'p.id', 'i.process_id')
            .forUpdate('i')
            // Blocks only the removal of the row; the process can still renew it.
            .forKeyShare('p')
            .execute();
    if (found.length === 0) throw intentNotOpen(id);
  }

  async stillOpen(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (this.#options.transactions.active)
      throw new Error('which intents are open is asked outside of units of work: it waits for them');
    if (ids.length === 0) return new Set();
    const rows = await this.#database()
      .selectFrom('hexforge_intent')
      .select('id')
      .where('id', 'in', ids)
      .forUpdate()
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  async abandoned(kind: string): Promise<readonly Intent[]> {
    await this.#removeDoubtful();
    const rows = await this.#database()
      .selectFrom('hexforge_intent as i')
      .leftJoin('hexforge_process as p', 'p.id', 'i.process_id')
      .select([
        'i.id',
        'i.subject',
        'i.detail',
        'i.opened_at',
        'i.process_id',
        'p.host',
        'p.pid',
        'p.started',
        sql<boolean>`p.renewed_at < ${longAgo}`.as('expired'),
      ])
      .where('i.kind', '=', kind)
      .where('i.process_id', '!=', this.#owner)
      .orderBy('i.sequence')
      .execute();
    const ended = await this.#end(rows.filter((row) => this.#isSilent(row)));
    return rows
      .filter((row) => this.#isGone(row) || ended.has(row.process_id))
      .map(({ id, subject, detail, opened_at: openedAt }) => {
        const known: unknown = JSON.parse(detail);
        return { id, kind, subject, detail: known, openedAt };
      });
  }

  /** Deletes this process's row, so that its open intents become abandoned. */
  async release(): Promise<void> {
    clearInterval(this.#renewal);
    await this.#removeDoubtful().catch(() => undefined);
    if (this.#registered === undefined || this.#options.identity === undefined) return;
    await this.#database()
      .deleteFrom('hexforge_process')
      .where('id', '=', this.#owner)
      .execute()
      .catch(() => undefined);
  }

  /** Deletes intents whose change never began, because their INSERT had no reply. */
  async #removeDoubtful(): Promise<void> {
    if (this.#doubtful.size === 0) return;
    const removed = await this.#database()
      .deleteFrom('hexforge_intent')
      .where('id', 'in', [...this.#doubtful.keys()])
      .returning('id')
      .execute();
    for (const { id } of removed) this.#doubtful.delete(id);
    const now = performance.now();
    for (const [id, until] of this.#doubtful) if (until < now) this.#doubtful.delete(id);
  }

  #database(): Kysely<SystemTables> {
    return this.#options.transactions.kysely<SystemTables>();
  }

  #isGone({ host, pid, started }: OwnerRow): boolean {
    const { identity } = this.#options;
    if (identity === undefined || host === null || pid === null || started === null) return true;
    return host === identity.host && !isAlive({ host, pid, started });
  }

  /** A process on another host can only be judged by its missing renewals. */
  #isSilent({ host, expired }: OwnerRow): boolean {
    return host !== this.#options.identity?.host && expired === true;
  }

  /**
   * Removes the rows of silent processes, unless they were renewed meanwhile. A process that was only disconnected from
   * the database finds its row missing, and so learns that its intents are no longer its own. @returns the ids of
   * removed processes.
   */
  async #end(silent: readonly OwnerRow[]): Promise<ReadonlySet<string>> {
    if (silent.length === 0) return new Set();
    const ids = silent.map(({ process_id }) => process_id);
    const ended = await this.#database()
      .deleteFrom('hexforge_process')
      .where('id', 'in', ids)
      .where('renewed_at', '<', longAgo)
      .returning('id')
      .execute();
    return new Set(ended.map(({ id }) => id));
  }

  async #register(): Promise<void> {
    const { identity, transactions } = this.#options;
    if (identity === undefined) return;
    this.#registered ??= transactions.outside(async () => {
      await this.#enter(identity);
      await sql`delete from hexforge_process p where p.renewed_at < clock_timestamp() - interval '1 day' and not exists (select from hexforge_intent i where i.process_id = p.id)`.execute(
        this.#database(),
      );
      this.#renewal = setInterval(() => {
        this.#stay(identity).catch((error: unknown) =>
          this.#options.log.warn({ error: String(error) }, 'the lease on open intents could not be renewed'),
        );
      }, renewEvery).unref();
    });
    try {
      await this.#registered;
    } catch (error) {
      this.#registered = undefined;
      throw error;
    }
  }

  async #enter({ host, pid, started }: ProcessIdentity): Promise<void> {
    await this.#database()
      .insertInto('hexforge_process')
      .values({ id: this.#owner, host, pid, started, renewed_at: atOnce })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }

  async #stay(identity: ProcessIdentity): Promise<void> {
    const { numUpdatedRows } = await this.#database()
      .updateTable('hexforge_process')
      .set({ renewed_at: atOnce })
      .where('id', '=', this.#owner)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return;
    // Intents of the previous owner id are now abandoned, and any process may take them over.
    this.#owner = this.#options.ids.uuid();
    await this.#enter(identity);
  }
}
