// Deletes a repository: the row in one transaction, then the directory, under an intent.
import type { Granted } from '#core/kernel/access/access';
import { auditEntry } from '#core/kernel/services/audit';
import type { User } from '#core/kernel/caller';
import { NotFound, ValidationFailed } from '#core/kernel/errors';
import { aboutRepository, factOf } from '../model/events.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { Reconciler } from '../push/reconciliation.ts';
import type { Repository } from '../model/repository.ts';

type Parts = Pick<RepositoryParts, 'store' | 'unitOfWork' | 'events' | 'intents' | 'audit'> & {
  readonly reconciler: Reconciler;
};

/** @throws {ValidationFailed} unless `confirmation` is exactly `owner/name`. */
export const deleteRepository =
  ({ store, unitOfWork, events, intents, audit, reconciler }: Parts) =>
  async (
    { resource: repository, call }: Granted<Repository, 'repo.own', User>,
    command: { readonly confirmation: string },
  ): Promise<void> => {
    const { id, owner, name, visibility } = repository;
    if (command.confirmation !== `${owner}/${name}`)
      throw new ValidationFailed('The confirmation does not match', {
        detail: `"confirmation" must be "${owner}/${name}"`,
      });
    const intent = await intents.open({ kind: 'repositories.delete', subject: id, detail: {} });
    try {
      await unitOfWork.run(async () => {
        await intents.hold(intent.id);
        if (!(await store.delete(id))) throw new NotFound('Not found');
        await events.emit({
          type: 'repository.deleted',
          ...aboutRepository(repository, call),
          payload: factOf(repository),
        });
        await audit.append(auditEntry(call, 'repository.deleted', `repository:${id}`, { owner, name, visibility }));
      });
    } finally {
      // Removes the directory if the row was deleted. Otherwise only closes the intent.
      await reconciler.settle(intent);
    }
  };
