// Progress of the indexing, for administrators, and the commands that index again.
import type { Call, User } from '#core/kernel/caller';
import { found } from '#core/kernel/errors';
import { auditEntry, type AuditLog } from '#core/kernel/services/audit';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Clock } from '#core/kernel/time';
import { nameKey, type Repositories } from '#core/repositories/index';
import type { IndexSize, SearchBackend } from '../model/backend.ts';
import { codeSection } from '../model/documents.ts';
import type { Section } from '../model/section.ts';
import type { SymbolReader } from '../model/symbol.ts';
import type { WorkQueue } from './queue.ts';

/** The state of the index. */
export interface IndexProgress {
  /** Undefined without a back end, or while it does not answer. */
  readonly size: IndexSize | undefined;
  /** Sources and documents that wait to be indexed. */
  readonly waiting: number;
  /** Seconds that the oldest of them has waited. */
  readonly lagSeconds: number;
  /** Those that failed at least three times. */
  readonly failing: number;
  /** Whether a rebuild is running. */
  readonly rebuilding: boolean;
  /** How many files ended the worker that reads definitions, by language, since the start of this process. */
  readonly restarts: SymbolReader['restarts'];
}

export interface ProgressParts {
  readonly backend: () => SearchBackend | undefined;
  readonly queue: WorkQueue;
  readonly sections: () => readonly Section[];
  readonly repositories: Pick<Repositories, 'named'>;
  readonly symbols: Pick<SymbolReader, 'restarts'>;
  readonly audit: AuditLog;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
}

export function progress(parts: ProgressParts) {
  const { backend, queue, sections, repositories, symbols, audit, unitOfWork, clock } = parts;
  return {
    async progress(): Promise<IndexProgress> {
      const { waiting, since, failing } = await queue.backlog();
      const asked = async () => {
        const provider = backend();
        return provider && { size: await provider.size(), indexes: await provider.indexes() };
      };
      const known = await asked().catch(() => undefined);
      return {
        size: known?.size,
        waiting,
        lagSeconds: since === undefined ? 0 : Math.max(0, Math.round((clock.now().getTime() - since.getTime()) / 1000)),
        failing,
        rebuilding: (known?.indexes.length ?? 0) > 1,
        restarts: symbols.restarts,
      };
    },

    /**
     * Reads everything again: one repository into the index that answers, or all into a new one that replaces it.
     * @param path `owner/name`; undefined for all.
     * @throws {NotFound} for an unknown repository, or without a back end.
     */
    async reindex(call: Call<User>, { repository: path }: { readonly repository: string | undefined }): Promise<void> {
      if (path === undefined) {
        const provider = found(backend(), 'There is no search back end');
        // A back end has its own transaction, or none. A request that fails afterwards stays in the log.
        await unitOfWork.run(() => audit.append(auditEntry(call, 'search.reindexed', 'search_index:all')));
        await provider.beginRebuild();
        return;
      }
      const { id } = found((await repositories.named([path])).get(nameKey(path)), `There is no repository "${path}"`);
      await unitOfWork.run(async () => {
        for (const section of [codeSection, ...sections().map(({ name }) => name)])
          await queue.add({ section, repositoryId: id, key: '' }, clock.now(), { forced: true });
        await audit.append(auditEntry(call, 'search.reindexed', `repository:${id}`, { repository: path }));
      });
    },
  };
}
