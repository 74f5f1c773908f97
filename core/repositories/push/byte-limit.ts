// The quota of bytes for one push, and the measurement of a repository's size.
import type { Caller } from '#core/kernel/caller';
import { zeroOid, type JudgeRefs } from '../git/git-backend.ts';
import type { BroughtFor } from '../model/brought.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { overBytes } from '../model/quota.ts';
import type { Repository } from '../model/repository.ts';
import type { Maintenance } from './maintenance.ts';

/** Smaller pushes are only counted by the next measurement, which follows soon. */
const countedAtOnce = 1024 ** 2;

type Parts = Pick<RepositoryParts, 'store' | 'settings' | 'unitOfWork'> & { readonly maintenance: Maintenance };

/**
 * For one push: rejects refs if the new objects exceed the owner's quota. An accepted push counts immediately, so that
 * concurrent pushes cannot use the same free space.
 */
export function roomForBytes(
  { store, settings, unitOfWork, maintenance }: Parts,
  { id, ownerId }: Repository,
  caller: Caller,
): { judge(inner: JudgeRefs): JudgeRefs; ended(): void } {
  let counted = false;
  const refusal = async (size: () => Promise<number>): Promise<string | undefined> => {
    if (caller.kind === 'user' && caller.isAdmin) return undefined;
    const most = await settings.get('repositories.max_bytes_per_user');
    if (most === 0) return undefined;
    const more = await size();
    if (more < countedAtOnce) return overBytes(most, await store.owned(ownerId), more);
    return unitOfWork.run(async () => {
      const sentence = overBytes(most, await store.owned(ownerId, 'held'), more);
      if (sentence !== undefined) return sentence;
      await store.resize(id, { by: more });
      counted = true;
      return undefined;
    });
  };
  return {
    judge: (inner) => judgedBy(inner, refusal),
    ended() {
      if (counted) maintenance.request(id);
    },
  };
}

/**
 * For the objects that a merge request brings: like `roomForBytes`, but by the quota of its author. Everything is
 * recorded, also the few bytes of a small request. A request has let its objects go until its ref keeps them, so those
 * of an opening that fails count only until they are pruned.
 */
export function roomForBrought(
  { store, brought, settings, unitOfWork, maintenance, clock }: Parts & Pick<RepositoryParts, 'brought' | 'clock'>,
  { id: repositoryId }: Repository,
  { requestId, userId }: BroughtFor,
  caller: Caller,
): ReturnType<typeof roomForBytes> {
  let counted = false;
  const refusal = async (size: () => Promise<number>): Promise<string | undefined> => {
    const most = caller.kind === 'user' && caller.isAdmin ? 0 : await settings.get('repositories.max_bytes_per_user');
    const more = await size();
    return unitOfWork.run(async () => {
      const sentence = overBytes(most, await store.owned(userId, 'held'), more, 'author');
      if (sentence !== undefined) return sentence;
      if (more === 0) return undefined;
      await store.resize(repositoryId, { by: more });
      const { bytes, letGoAt } = (await brought.findOne({ requestId })) ?? { bytes: 0, letGoAt: clock.now() };
      await brought.put({ requestId, repositoryId, userId, bytes: bytes + more, letGoAt });
      counted = true;
      return undefined;
    });
  };
  return {
    judge: (inner) => judgedBy(inner, refusal),
    ended() {
      if (counted) maintenance.request(repositoryId);
    },
  };
}

/** @param refusal returns the sentence that rejects all refs that bring objects, if there is no room for them. */
const judgedBy =
  (inner: JudgeRefs, refusal: (size: () => Promise<number>) => Promise<string | undefined>): JudgeRefs =>
  async (updates, objects) => {
    const verdicts = await inner(updates, objects);
    const brings = (index: number): boolean =>
      verdicts[index]?.refusal === undefined && updates[index]?.new !== zeroOid;
    if (!verdicts.some((_, index) => brings(index))) return verdicts;
    const sentence = await refusal(() => objects.size());
    if (sentence === undefined) return verdicts;
    return verdicts.map((verdict, index) =>
      brings(index) ? { ref: verdict.ref, refusal: sentence, because: 'quota' as const } : verdict,
    );
  };

/** Measures and stores the size of a repository. */
export async function measure(
  { git, store, unitOfWork }: Pick<RepositoryParts, 'git' | 'store' | 'unitOfWork'>,
  repositoryId: string,
): Promise<void> {
  const to = await git.size(repositoryId);
  await unitOfWork.run(() => store.resize(repositoryId, { to }));
}
