// The command of an administrator that indexes again, with its audit entry.
import type { Call, User } from '#core/kernel/caller';
import { found } from '#core/kernel/errors';
import { auditEntry, type AuditLog } from '#core/kernel/services/audit';
import type { SearchIndexing } from '#core/kernel/services/search-indexing';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import { nameKey, type Repositories } from '#core/repositories/index';

export interface ReindexParts {
  readonly progress: Pick<SearchIndexing, 'reindex'>;
  readonly repositories: Pick<Repositories, 'named'>;
  readonly audit: AuditLog;
  readonly unitOfWork: UnitOfWork;
}

export const auditedReindex =
  ({ progress, repositories, audit, unitOfWork }: ReindexParts) =>
  /**
   * @param repository `owner/name`; undefined for all.
   * @throws {NotFound} for an unknown repository, or without a back end.
   */
  async (call: Call<User>, { repository: path }: { readonly repository: string | undefined }): Promise<void> => {
    if (path === undefined) {
      // The back end has its own transactions, so a rebuild that cannot begin stays in the log as requested.
      await unitOfWork.run(() => audit.append(auditEntry(call, 'search.reindexed', 'search_index:all')));
      await progress.reindex(undefined);
      return;
    }
    const known = await repositories.named([path]);
    const { id, owner, name } = found(known.get(nameKey(path)), `There is no repository "${path}"`);
    await unitOfWork.run(async () => {
      await progress.reindex(path);
      await audit.append(auditEntry(call, 'search.reindexed', `repository:${id}`, { owner, name }));
    });
  };
