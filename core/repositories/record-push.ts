// Recording that refs moved: one transaction with an event per ref, the repository's time and, for a first push, its
// default branch.
import { NotFound } from '#core/kernel/errors';
import { aggregateOf } from './events.ts';
import { zeroOid, type Oid, type RefUpdate } from './git-backend.ts';
import { defaultBranchAlone } from './intents.ts';
import type { RepositoryParts } from './parts.ts';
import { nextPrune } from './prune.ts';

const branches = 'refs/heads/';

/** An update with who made it. */
export type Moved = RefUpdate & { readonly actor: string };

type Parts = Pick<RepositoryParts, 'store' | 'git' | 'unitOfWork' | 'events' | 'intents' | 'locks' | 'clock'>;

/**
 * Records what moved and closes the intents of the pushes it came from. A repository that is gone has nobody to tell.
 * @param beside what others record in the same transaction.
 */
export const recordPush =
  (parts: Parts) =>
  async (
    repositoryId: string,
    moved: readonly Moved[],
    intentIds: readonly string[],
    beside?: () => Promise<void>,
  ): Promise<void> => {
    const created = moved
      .filter((update) => update.ref.startsWith(branches) && update.old === zeroOid && update.new !== zeroOid)
      .map(({ ref }) => ref.slice(branches.length));
    if (created.length === 0) return record(parts, repositoryId, moved, { intentIds, beside });
    // HEAD and the record change in two steps; two first pushes at once must not leave them apart.
    await defaultBranchAlone(parts.locks, repositoryId, async () => {
      const branch = await firstBranch(parts, repositoryId, created).catch(noneWhereRemoved);
      if (branch !== undefined) await parts.git.setDefaultBranch(repositoryId, branch).catch(noneWhereRemoved);
      await record(parts, repositoryId, moved, { intentIds, beside, defaultBranch: branch });
    });
  };

/**
 * Its row goes before its directory: what was pushed to a repository that is removed meanwhile is recorded as of one
 * that is gone.
 */
function noneWhereRemoved(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error;
  return undefined;
}

/** The branch that becomes the default: of those pushed, where the repository lacks the one it has on record. */
async function firstBranch(
  { store, git }: Parts,
  repositoryId: string,
  created: readonly string[],
): Promise<string | undefined> {
  const repository = await store.byId(repositoryId);
  if (repository === undefined) return undefined;
  const candidates = ['main', 'master', ...created].filter((name) => created.includes(name));
  const [present, ...tips] = await git.readRefs(
    repositoryId,
    [repository.defaultBranch, ...candidates].map((name) => `refs/heads/${name}`),
  );
  return present === zeroOid ? candidates.find((_, index) => tips[index] !== zeroOid) : undefined;
}

function record(
  { store, unitOfWork, events, intents, clock }: Parts,
  repositoryId: string,
  moved: readonly Moved[],
  {
    intentIds,
    beside,
    defaultBranch,
  }: {
    readonly intentIds: readonly string[];
    readonly beside: (() => Promise<void>) | undefined;
    readonly defaultBranch?: string | undefined;
  },
): Promise<void> {
  const now = clock.now();
  return unitOfWork.run(async () => {
    const there =
      moved.length > 0 &&
      (await store.update(repositoryId, { updatedAt: now, ...(defaultBranch !== undefined && { defaultBranch }) }));
    if (there) {
      await store.planPrune(repositoryId, nextPrune(now));
      const aggregate = aggregateOf(repositoryId);
      for (const { ref, old, new: next, actor } of moved) {
        await events.emit({
          type: 'push',
          aggregate,
          actorId: actor,
          payload: { repository_id: repositoryId, ref, old, new: next, actor },
        });
        if (next === zeroOid && ref.startsWith(branches))
          await events.emit({
            type: 'branch.deleted',
            aggregate,
            actorId: actor,
            payload: { repository_id: repositoryId, branch: ref.slice(branches.length), old, actor },
          });
      }
      const repository = defaultBranch === undefined ? undefined : await store.byId(repositoryId);
      if (repository !== undefined) {
        const { ownerId, name, visibility } = repository;
        await events.emit({
          type: 'repository.updated',
          aggregate,
          payload: { repository_id: repositoryId, owner_id: ownerId, name, visibility, changed: ['defaultBranch'] },
        });
      }
    }
    await beside?.();
    for (const id of intentIds) await intents.close(id);
  });
}

/**
 * Of the announced updates of interrupted pushes, those that took effect, told from where the refs stand. Several
 * pushes of one ref form a chain: the one that ends where the ref stands landed, then the one that ends where that
 * began.
 * @returns the landed ones, for each ref in the order in which they landed.
 */
export function landed<U extends RefUpdate>(updates: readonly U[], present: ReadonlyMap<string, Oid>): U[] {
  return [...Map.groupBy(updates, ({ ref }) => ref)].flatMap(([ref, own]) => {
    const open = own.filter((update) => update.old !== update.new);
    const chain: U[] = [];
    let at = present.get(ref) ?? zeroOid;
    for (;;) {
      const found = open.findIndex((update) => update.new === at);
      const [update] = found < 0 ? [] : open.splice(found, 1);
      if (update === undefined) return chain;
      chain.unshift(update);
      at = update.old;
    }
  });
}
