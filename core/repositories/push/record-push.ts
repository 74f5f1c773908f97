// Records that refs moved, in one transaction: an event per ref, the time of the last update and, for a first push, the
// default branch.
import { NotFound } from '#core/kernel/errors';
import { aggregateOf, factOf } from '../model/events.ts';
import { zeroOid, type Oid, type RefUpdate } from '../git/git-backend.ts';
import { defaultBranchAlone } from './intents.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { nextPrune } from './prune.ts';

const branches = 'refs/heads/';

/** An update with the id of its actor. */
export type Moved = RefUpdate & { readonly actor: string };

type Parts = Pick<RepositoryParts, 'store' | 'git' | 'unitOfWork' | 'events' | 'intents' | 'locks' | 'clock'>;

/**
 * Records the moved refs and closes the intents of their pushes. Emits nothing if the repository was deleted.
 * @param beside runs in the same transaction.
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
    // HEAD and the record change in two steps. The lock keeps them equal during concurrent first pushes.
    await defaultBranchAlone(parts.locks, repositoryId, async () => {
      const branch = await firstBranch(parts, repositoryId, created).catch(noneWhereRemoved);
      if (branch !== undefined) await parts.git.setDefaultBranch(repositoryId, branch).catch(noneWhereRemoved);
      await record(parts, repositoryId, moved, { intentIds, beside, defaultBranch: branch });
    });
  };

/**
 * A repository's row is deleted before its directory. If the directory does not exist, the push is recorded as for a
 * deleted repository, without events.
 */
function noneWhereRemoved(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error;
  return undefined;
}

/** The new default branch: one of the pushed branches, if the current default branch does not exist. */
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
        const about = { aggregate, actorId: actor };
        const payload = { repository_id: repositoryId, ref, old, new: next, actor };
        await events.emit({ type: 'push', ...about, payload });
        if (next !== zeroOid || !ref.startsWith(branches)) continue;
        const deletion = { repository_id: repositoryId, branch: ref.slice(branches.length), old, actor };
        await events.emit({ type: 'branch.deleted', ...about, payload: deletion });
      }
      const repository = defaultBranch === undefined ? undefined : await store.byId(repositoryId);
      if (repository !== undefined) {
        const payload = { ...factOf(repository), changed: ['defaultBranch'] };
        await events.emit({ type: 'repository.updated', aggregate, payload });
      }
    }
    await beside?.();
    for (const id of intentIds) await intents.close(id);
  });
}

/**
 * Finds the updates of interrupted pushes that took effect, by the current values of the refs. Several pushes of one
 * ref form a chain: the update that ends at the current value took effect, then the update that ends where that one
 * began, and so on.
 * @returns the updates that took effect, for each ref in the order in which it moved.
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
