// Intents of merges: an intent is committed before the target branch can move, and closed together with the row and the
// event of the request. If the process ends in between, or the database is unavailable, the branch shows whether the
// merge happened.
import type { Log } from '#core/kernel/services/log';
import type { Intent } from '#core/kernel/storage/unit-of-work';
import type { MergeHooks, Oid } from '#core/repositories/index';
import { branchTip } from '../model/branches.ts';
import { aboutMerge } from '../model/events.ts';
import type { MergeParts } from '../model/parts.ts';

/** The merge and its actor. */
export interface MergeFacts {
  readonly number: number;
  readonly actor: string;
  /** Short: `main`. */
  readonly targetBranch: string;
  readonly head: Oid;
}

/** With the old and the new tip of the target branch. */
interface MergeDetail extends MergeFacts {
  readonly old: Oid;
  readonly new: Oid;
}

const kind = 'merges.merge';

type Parts = Pick<MergeParts, 'store' | 'git' | 'unitOfWork' | 'events' | 'intents' | 'locks' | 'clock'> & {
  readonly log: Log;
};

/** One merge, with at most one intent. */
export interface MergeBracket {
  readonly hooks: MergeHooks;
  /**
   * Must be called when the merge has ended, successfully or not.
   * @returns whether the target has the merge and the request is recorded as merged.
   * @throws {Unavailable} if that cannot be determined now. The reconciler retries within a minute.
   */
  conclude(): Promise<boolean>;
}

export interface MergeIntents {
  bracket(repositoryId: string, facts: MergeFacts): MergeBracket;
  /** Records a merge that moved nothing, because the target already has all commits. */
  recordContained(repositoryId: string, facts: MergeFacts, target: Oid): Promise<void>;
  /** Concludes the intents that were left open. Runs at boot and every minute. */
  reconcile(): Promise<void>;
}

export function mergeIntents(parts: Parts): MergeIntents {
  const { store, git, intents, locks, unitOfWork, log } = parts;
  /** Intents of this process that could not be concluded, by id. */
  const unsettled = new Map<string, Intent>();

  const settle = async (intent: Intent): Promise<boolean> => {
    const detail = intent.detail as MergeDetail;
    // Usually the intent was closed together with the record of the merge, even if the reply to that commit was lost.
    if (!(await intents.stillOpen([intent.id])).has(intent.id))
      return (await store.find(intent.subject, detail.number))?.state === 'merged';
    const landed = await hasLanded(git, intent.subject, detail);
    await unitOfWork.run(async () => {
      if (landed) await record(parts, intent.subject, detail);
      await intents.close(intent.id);
    });
    return landed;
  };

  const settleOrKeep = async (intent: Intent): Promise<boolean> => {
    try {
      const landed = await settle(intent);
      unsettled.delete(intent.id);
      return landed;
    } catch (error) {
      unsettled.set(intent.id, intent);
      throw error;
    }
  };

  return {
    bracket(repositoryId, facts) {
      let intent: Intent<MergeDetail> | undefined;
      return {
        hooks: {
          async announced({ old, new: next }) {
            intent = await intents.open({ kind, subject: repositoryId, detail: { ...facts, old, new: next } });
          },
          async recorded() {
            if (intent === undefined) return;
            await record(parts, repositoryId, intent.detail);
            await intents.close(intent.id);
          },
        },
        conclude: async () => intent !== undefined && (await settleOrKeep(intent)),
      };
    },
    recordContained: (repositoryId, facts, target) =>
      unitOfWork.run(() => record(parts, repositoryId, { ...facts, old: target, new: target })),
    reconcile: () =>
      locks.exclusive('merges.reconcile', async () => {
        for (const intent of [...(await intents.abandoned(kind)), ...unsettled.values()])
          await settleOrKeep(intent).catch((error: unknown) =>
            log.error(
              { err: error, repository: intent.subject },
              'an interrupted merge could not be concluded; it is tried again within a minute',
            ),
          );
      }),
  };
}

/** Whether the target has the commit. Other commits may have been pushed on top of it. */
async function hasLanded(
  git: MergeParts['git'],
  repositoryId: string,
  { targetBranch, new: made }: MergeDetail,
): Promise<boolean> {
  if (!(await git.exists(repositoryId))) return false;
  const tip = await branchTip(git, repositoryId, targetBranch);
  if (tip === undefined || tip === made) return tip === made;
  if ((await git.commitRecord(repositoryId, made)) === undefined) return false;
  return (await git.mergeBase(repositoryId, made, tip)) === made;
}

/** Runs inside a unit of work. The handler of pushes may have recorded the merge already. */
async function record(
  { store, events, clock }: Pick<Parts, 'store' | 'events' | 'clock'>,
  repositoryId: string,
  { number, actor, targetBranch, head, old, new: mergeCommit }: MergeDetail,
): Promise<void> {
  const held = await store.held(repositoryId, number);
  if (held === undefined || held.state === 'merged') return;
  const now = clock.now();
  const patch = {
    state: 'merged',
    targetBranch,
    headOid: head,
    baseOid: old,
    mergeCommit,
    mergedById: actor,
    mergedAt: now,
    closedAt: null,
    updatedAt: now,
  } as const;
  await store.update(held.id, patch);
  const merged = aboutMerge({ ...held, ...patch }, actor, { merge_commit: mergeCommit });
  await events.emit({ type: 'merge.merged', ...merged });
}
