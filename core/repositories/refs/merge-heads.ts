// The port `MergeHeads`: copies the commits of merge requests into the target repository and keeps them there, within
// the quota of its owner.
import { anonymous } from '#core/kernel/caller';
import { Conflict, found } from '#core/kernel/errors';
import { dropRef } from '../git/drop-ref.ts';
import { broughtRefs, mergeHeadRef, type CommitToKeep, type JudgeRefs } from '../git/git-backend.ts';
import type { Maintenance } from '../push/maintenance.ts';
import type { BroughtFor } from '../model/brought.ts';
import type { KeepingFor, MergeHeads } from '../model/offers.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { nextPrune, soonPrune } from '../push/prune.ts';
import { quotaExceeded } from '../model/quota.ts';
import { isLarge } from '../push/count-brought.ts';
import { roomForBrought, roomForBytes } from '../push/byte-limit.ts';
import type { Reconciler } from '../push/reconciliation.ts';

type Parts = Pick<
  RepositoryParts,
  'store' | 'brought' | 'git' | 'settings' | 'unitOfWork' | 'intents' | 'ids' | 'clock'
> & {
  readonly maintenance: Maintenance;
  readonly reconciler: Reconciler;
};

/** A concurrent call may keep another commit of the same request and make an attempt fail. */
const attempts = 5;

export function mergeHeads(parts: Parts): MergeHeads {
  const { store, brought, git, unitOfWork, intents, ids, clock, reconciler, maintenance } = parts;

  /** @param still rejects if the ref must not move any more. @throws the errors of `MergeHeads`. */
  const keep = async (
    repositoryId: string,
    { broughtFor, ...kept }: CommitToKeep & { readonly broughtFor?: BroughtFor | undefined },
    by: KeepingFor,
    still?: () => Promise<void>,
  ): Promise<void> => {
    const repository = found(await store.byId(repositoryId));
    const caller = by.caller ?? anonymous;
    const room =
      broughtFor === undefined
        ? roomForBytes(parts, repository, caller)
        : roomForBrought(parts, repository, broughtFor, caller);
    let refusal: string | undefined;
    // The area of merge requests decides which commit is kept. This judge only checks the quota.
    const within = room.judge(async (updates) => updates.map(({ ref }) => ({ ref, refusal: undefined })));
    const judge: JudgeRefs = async (updates, objects) => {
      const verdicts = await within(updates, objects);
      refusal = verdicts.find((verdict) => verdict.refusal !== undefined)?.refusal;
      if (refusal === undefined) await still?.();
      return verdicts;
    };
    try {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const outcome = await git.keepCommit(repositoryId, kept, { judge, signal: by.signal });
        // The previous commit of the ref, or a copy that is not needed, may be unreachable now. Pruning removes it.
        if (outcome === 'kept')
          return await unitOfWork.run(() => store.planPrune(repositoryId, nextPrune(clock.now())));
        if (outcome === 'refused') throw quotaExceeded(refusal ?? '');
        if (outcome === 'in-the-way')
          throw new Conflict('Another ref is in the way of the merge request', {
            detail: `"${kept.ref}" and one of its folders cannot both be names; delete the other`,
          });
      }
      throw new Conflict('The head of the merge request moves too fast', {
        detail: `"${kept.ref}" was moved by others each time; try again`,
      });
    } finally {
      room.ended();
    }
  };

  /** The objects of a request were let go: it is new, or was closed before. */
  const holdAgain = async ({ requestId }: BroughtFor): Promise<void> => {
    const row = await brought.findOne({ requestId });
    if (row !== undefined && row.letGoAt !== null)
      await unitOfWork.run(() => brought.update({ requestId }, { letGoAt: null }));
  };

  return {
    async bring(repositoryId, { sourceRepositoryId: from, commit, broughtFor }, by) {
      const ref = `${broughtRefs}/${ids.uuid()}`;
      const intent = await intents.open({ kind: 'repositories.bring', subject: repositoryId, detail: { ref } });
      try {
        await keep(repositoryId, { from, commit, ref, broughtFor }, by, () => intents.renew(intent.id));
      } finally {
        // The temporary ref was only needed to copy the objects. They are too young to be pruned, and stay without it.
        await reconciler.settle(intent);
      }
    },
    async keep(repositoryId, number, { sourceRepositoryId: from, commit, broughtFor }, by) {
      const ref = mergeHeadRef(number);
      const [now] = (await git.exists(repositoryId)) ? await git.readRefs(repositoryId, [ref]) : [];
      if (now !== commit) await keep(repositoryId, { from, commit, ref, broughtFor }, by);
      if (broughtFor !== undefined) await holdAgain(broughtFor);
      if (now !== commit) maintenance.request(repositoryId);
    },
    async letGo(repositoryId, number, requestId) {
      if (number !== undefined && (await git.exists(repositoryId)))
        await dropRef(git, repositoryId, mergeHeadRef(number));
      const now = clock.now();
      await unitOfWork.run(async () => {
        const row = await brought.findOne({ requestId });
        if (row?.letGoAt === null) await brought.update({ requestId }, { letGoAt: now });
        if (row !== undefined && isLarge(row)) await store.planPrune(repositoryId, soonPrune(now), 'sooner');
        else await store.planPrune(repositoryId, nextPrune(now));
      });
    },
    async takeOver(requestId) {
      await unitOfWork.run(() => brought.delete({ requestId }));
    },
    drop: (repositoryId, number) => dropRef(git, repositoryId, mergeHeadRef(number)),
    network: (repositoryId, owner) => store.network(repositoryId, owner),
  } satisfies MergeHeads;
}
