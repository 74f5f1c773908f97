// The queue of index work: sources and documents that may have changed. It is filled by events and by the rebuild.
import type { Rows } from '#core/kernel/storage/rows';

/** A source, or one document of it, whose indexed state may be outdated. */
export interface PendingWork {
  readonly section: string;
  readonly repositoryId: string;
  /** The key of a document; '' for the whole source. */
  readonly key: string;
}

/** A row of the queue. */
export interface QueuedWork extends PendingWork {
  /** Changes whenever the work is queued again, so that a change during the work is not lost. */
  readonly version: string;
  /** The first indexing, a rebuild, or the rest of long work; done when no work of events is due. */
  readonly background: boolean;
  /** Whether everything is read and stored again, not only what differs. */
  readonly forced: boolean;
  readonly queuedAt: Date;
  /** Not before this time; later than `queuedAt` after a failure. */
  readonly dueAt: Date;
  readonly attempts: number;
}

/** The rows of the queue. */
export type WorkStore = Rows<QueuedWork>;

/** Milliseconds before the next attempt after a failure, doubled with each one. */
const patience = { first: 2_000, most: 300_000 } as const;

export interface QueueParts {
  readonly queue: WorkStore;
  readonly newVersion: () => string;
}

export function workQueue({ queue, newVersion }: QueueParts) {
  const keyOf = ({ section, repositoryId, key }: PendingWork): PendingWork => ({ section, repositoryId, key });
  return {
    async add(
      work: PendingWork,
      now: Date,
      { background = false, forced = false }: Partial<Pick<QueuedWork, 'background' | 'forced'>> = {},
    ): Promise<void> {
      // A change does not take the place of a command to read everything again.
      const again = { version: newVersion(), background, dueAt: now, attempts: 0 };
      if (!forced && (await queue.update({ ...keyOf(work), forced: true }, again)) !== undefined) return;
      await queue.put({
        ...keyOf(work),
        version: newVersion(),
        background,
        forced,
        queuedAt: now,
        dueAt: now,
        attempts: 0,
      });
    },

    /** Queues work that is not queued yet. */
    async addMissing(work: readonly PendingWork[], now: Date): Promise<void> {
      if (work.length === 0) return;
      await queue.addMany(
        work.map((each) => ({
          ...keyOf(each),
          version: newVersion(),
          background: true,
          forced: false,
          queuedAt: now,
          dueAt: now,
          attempts: 0,
        })),
      );
    },

    /** Due work, the longest due first. */
    async due(now: Date, background: boolean, limit: number): Promise<readonly QueuedWork[]> {
      return queue.find({
        where: { background },
        ranges: { dueAt: { '<=': now } },
        orderBy: ['dueAt', 'repositoryId', 'section', 'key'],
        limit,
      });
    },

    /** Removes work, unless it was queued again meanwhile. */
    async done(work: QueuedWork): Promise<void> {
      await queue.deleteMany({ where: { ...keyOf(work), version: work.version } });
    },

    /** Puts work that is not finished behind other background work. */
    async continueLater(work: QueuedWork, now: Date): Promise<void> {
      await queue.updateMany(
        { where: { ...keyOf(work), version: work.version } },
        { background: true, forced: false, dueAt: now, attempts: 0 },
      );
    },

    async retryLater(work: QueuedWork, now: Date): Promise<void> {
      const attempts = Math.min(work.attempts + 1, 30);
      const pause = Math.min(patience.first * 2 ** (attempts - 1), patience.most);
      await queue.updateMany(
        { where: { ...keyOf(work), version: work.version } },
        { attempts, dueAt: new Date(now.getTime() + pause) },
      );
    },

    async forget(repositoryId: string): Promise<void> {
      await queue.deleteMany({ where: { repositoryId } });
    },

    /** How much is queued, and since when the oldest event waits. */
    async backlog(): Promise<{ readonly waiting: number; readonly since: Date | undefined; readonly failing: number }> {
      const [waiting, [oldest], failing] = await Promise.all([
        queue.count({}),
        queue.find({ where: {}, orderBy: ['queuedAt'], limit: 1 }),
        queue.find({ where: {}, ranges: { attempts: { '>=': 3 } }, orderBy: [], limit: 1000 }),
      ]);
      return { waiting, since: oldest?.queuedAt, failing: failing.length };
    },
  };
}

export type WorkQueue = ReturnType<typeof workQueue>;
