// The indexing: works through the queue, looks for sources that are missing, and runs rebuilds.
import type { Log } from '#core/kernel/services/log';
import type { Clock } from '#core/kernel/time';
import type { Repositories, Repository } from '#core/repositories/index';
import type { SearchBackend, SearchIndex } from '../model/backend.ts';
import { codeSection, type IndexSource } from '../model/documents.ts';
import type { Section } from '../model/section.ts';
import { docsSection } from './markdown-document.ts';
import type { QueuedWork, WorkQueue } from './queue.ts';
import { isWhole, syncAllDocuments, syncDocuments } from './sync-documents.ts';
import { syncFiles, type SyncParts } from './sync-files.ts';

export interface IndexingParts extends SyncParts {
  readonly backend: () => SearchBackend | undefined;
  readonly queue: WorkQueue;
  readonly sections: () => readonly Section[];
  readonly repositories: Pick<Repositories, 'byId' | 'all'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Queued work that is read at a time. */
const page = 50;
/** Milliseconds after which long work lets other work pass. */
const slice = 2000;
/** Repositories and sources that are compared at a time. */
const compared = 500;

export function indexing(parts: IndexingParts) {
  const { backend, queue, sections, repositories, clock, log } = parts;
  const filesOf = syncFiles(parts);

  const sectionNames = (): readonly string[] => [codeSection, ...sections().map(({ name }) => name)];

  async function removeRepository(index: SearchIndex, repositoryId: string): Promise<void> {
    for (const section of new Set([...sectionNames(), docsSection])) await index.remove({ section, repositoryId });
  }

  /** @returns whether the work is finished. */
  async function syncOne(
    index: SearchIndex,
    repository: Repository,
    work: QueuedWork,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<boolean> {
    if (work.section === codeSection) {
      const until = clock.now().getTime() + slice;
      const isOver = (): boolean => clock.now().getTime() > until;
      return (await filesOf(index, repository, { forced: work.forced, isOver, signal })) === 'done';
    }
    const section = sections().find(({ name }) => name === work.section);
    // The documents of a plugin that is off stay; its events are kept.
    if (section === undefined) return true;
    const source = { section: section.name, repositoryId: repository.id };
    if (work.forced || keys.includes('') || !(await isWhole(index, source)))
      await syncAllDocuments(index, section, repository.id, signal);
    else await syncDocuments(index, section, repository.id, keys);
    return true;
  }

  /** Work on one source, which is done together. */
  async function perform(group: readonly [QueuedWork, ...QueuedWork[]], signal: AbortSignal): Promise<void> {
    const [work] = group;
    const now = (): Date => clock.now();
    try {
      const indexes = (await backend()?.indexes()) ?? [];
      const repository = await repositories.byId(work.repositoryId);
      const keys = group.map(({ key }) => key);
      let finished = true;
      for (const index of indexes)
        if (repository === undefined) await removeRepository(index, work.repositoryId);
        else finished = (await syncOne(index, repository, work, keys, signal)) && finished;
      for (const each of group) await (finished ? queue.done(each) : queue.continueLater(each, now()));
    } catch (error) {
      if (signal.aborted) throw error;
      const { section, repositoryId, attempts } = work;
      log.warn({ section, repository: repositoryId, attempts, err: error }, 'indexing failed and is tried again');
      for (const each of group) await queue.retryLater(each, now());
    }
  }

  /**
   * Queues every source that an index lacks, and removes sources of repositories that no longer exist.
   * @returns the number of missing sources.
   */
  async function lookForMissing(index: SearchIndex): Promise<number> {
    const names = sectionNames();
    let missing = 0;
    let known: readonly (IndexSource & { readonly state: string })[] = [];
    let sourcesAfter: IndexSource | undefined;
    let sourcesEnded = false;
    for (let after: string | undefined; ;) {
      const some = await repositories.all(after, compared);
      after = some.at(-1)?.id;
      const last = some.length < compared ? undefined : after;
      while (!sourcesEnded && (last === undefined || (known.at(-1)?.repositoryId ?? '') <= last)) {
        const more = await index.sources(sourcesAfter, compared);
        sourcesAfter = more.at(-1) ?? sourcesAfter;
        sourcesEnded = more.length < compared;
        known = [...known, ...more];
      }
      const here = known.filter(({ repositoryId }) => last === undefined || repositoryId <= last);
      known = known.slice(here.length);
      const existing = new Set(some.map(({ id }) => id));
      // The state is empty if the first write of a source was interrupted.
      const have = new Set(
        here.flatMap(({ section, repositoryId, state }) => (state === '' ? [] : `${repositoryId} ${section}`)),
      );
      for (const source of here)
        // A repository may have been created and indexed after the list was read.
        if (!existing.has(source.repositoryId) && (await repositories.byId(source.repositoryId)) === undefined)
          await index.remove(source);
      const absent = some.flatMap(({ id }) =>
        names.flatMap((section) => (have.has(`${id} ${section}`) ? [] : { section, repositoryId: id, key: '' })),
      );
      missing += absent.length;
      await queue.addMissing(absent, clock.now());
      if (last === undefined) return missing;
    }
  }

  /** Compares the indexes with the repositories that exist. Finishes a rebuild in which nothing is missing any more. */
  async function compare(): Promise<void> {
    const [served, rebuilt] = (await backend()?.indexes()) ?? [];
    if (served === undefined) return;
    await lookForMissing(served);
    if (rebuilt === undefined) return;
    const missing = await lookForMissing(rebuilt);
    // Sources that cannot be read do not keep the new index from answering.
    const { waiting, failing } = await queue.backlog();
    if (missing > failing || waiting > failing) return;
    await backend()?.finishRebuild();
    log.info({ index: rebuilt.id, failing }, 'the rebuilt index answers now');
  }

  return {
    /** Works until the queue is empty or the time is over. */
    async work(signal: AbortSignal, milliseconds: number): Promise<void> {
      const until = clock.now().getTime() + milliseconds;
      while (!signal.aborted && clock.now().getTime() < until && backend() !== undefined) {
        const due = await queue.due(clock.now(), false, page);
        const [next] = due.length > 0 ? due : await queue.due(clock.now(), true, 1);
        if (next === undefined) {
          // A rebuild may be finished now, or have just begun.
          if (((await backend()?.indexes()) ?? []).length > 1) await compare();
          return;
        }
        // Work of events is read in pages, so that documents of one source are written together.
        const same = due.filter(
          ({ section, repositoryId }) => section === next.section && repositoryId === next.repositoryId,
        );
        await perform(same.length > 1 ? [next, ...same.filter((each) => each !== next)] : [next], signal);
      }
    },

    compare,
  };
}
