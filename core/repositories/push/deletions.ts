// The rate limit and the audit entries of deleted branches and tags, for REST and for pushes. The audit entry is
// committed before the ref is deleted.
import type { Granted } from '#core/kernel/access/access';
import { auditEntry } from '#core/kernel/services/audit';
import type { Call } from '#core/kernel/caller';
import { RateLimited, Unavailable } from '#core/kernel/errors';
import type { Budget, Count } from '#core/kernel/rate';
import { zeroOid, type Oid, type RefUpdate, type RefVerdict } from '../git/git-backend.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { Repository } from '../model/repository.ts';

/** Per user, in any five minutes. */
export const deletionBudget: Budget = { limit: 30, windowSeconds: 300, window: 'rolling' };

export type DeletionParts = Pick<RepositoryParts, 'git' | 'unitOfWork' | 'audit' | 'rateCounter'>;
type Writable = Granted<Repository, 'repo.write' | 'merge.merge'>;

/** Only deletions of branches and tags are limited and audited. Deletions of other refs only emit an event. */
const kinds = [
  ['branch', 'refs/heads/'],
  ['tag', 'refs/tags/'],
] as const;
const kindOf = (ref: string): (typeof kinds)[number] | undefined => kinds.find(([, prefix]) => ref.startsWith(prefix));

/** @throws {RateLimited} without using any of the budget. */
export async function spendDeletion(parts: DeletionParts, call: Call): Promise<void> {
  const count = await take(parts, call, 1);
  if (!count.exceeded) return;
  throw new RateLimited('Too many branches and tags deleted', (count.resetAt.getTime() - call.now.getTime()) / 1000, {
    detail: `${count.limit} of them may be deleted in any ${deletionBudget.windowSeconds} seconds`,
    count: { ...count, resource: 'branch.delete' },
  });
}

const take = ({ rateCounter }: DeletionParts, { caller, now }: Call, units: number): Promise<Count> =>
  rateCounter.take(`branch.delete:user:${caller.kind === 'user' ? caller.id : ''}`, deletionBudget, now, units);

/**
 * Commits an audit entry with the last commit of each ref. Without this entry the ref must not be deleted.
 * @throws {Unavailable} if the entries cannot be written.
 */
export async function recordDeletions(
  { unitOfWork, audit }: DeletionParts,
  { resource: { id, owner, name: repository }, call }: Writable,
  deleted: readonly { readonly ref: string; readonly oid: Oid }[],
): Promise<void> {
  try {
    await unitOfWork.run(async () => {
      for (const { ref, oid } of deleted) {
        const [kind, prefix] = kindOf(ref) ?? ['ref', ''];
        const details = { owner, name: repository, [kind]: ref.slice(prefix.length), commit: oid };
        await audit.append(auditEntry(call, `${kind}.deleted`, `repository:${id}`, details));
      }
    });
  } catch (cause) {
    throw cause instanceof Unavailable
      ? cause
      : new Unavailable('The audit record could not be written, so nothing was deleted', {
          detail: 'Try again later',
          cause,
        });
  }
}

/**
 * Returns the given verdicts, but rejects deletions that exceed the rate limit or cannot be audited. With `atomic`, one
 * rejection rejects the whole push, so nothing is spent or written then.
 */
export async function admitDeletions(
  parts: DeletionParts,
  granted: Writable,
  updates: readonly RefUpdate[],
  verdicts: readonly RefVerdict[],
  atomic: boolean,
): Promise<readonly RefVerdict[]> {
  const refusals = new Map(verdicts.map(({ ref, refusal }) => [ref, refusal]));
  const result = (): readonly RefVerdict[] =>
    updates.map(({ ref }) => ({
      ref,
      refusal: refusals.has(ref) ? refusals.get(ref) : 'nothing was decided about it',
    }));
  const deletions = updates.filter(
    ({ ref, new: next }) => next === zeroOid && refusals.has(ref) && refusals.get(ref) === undefined,
  );
  if (deletions.length === 0) return verdicts;
  const stood = await parts.git.readRefs(
    granted.resource.id,
    deletions.map(({ ref }) => ref),
  );
  const admitted: { readonly ref: string; readonly oid: Oid }[] = [];
  for (const [index, { ref, old }] of deletions.entries()) {
    const oid = stood[index] ?? zeroOid;
    // git does not compare the old value if it is not an existing object. The commit in the audit entry could then
    // differ from the deleted one.
    if (oid === zeroOid) refusals.set(ref, 'there is no such ref');
    else if (oid !== old) refusals.set(ref, 'it has moved meanwhile; fetch it and look again');
    else if (kindOf(ref) !== undefined) admitted.push({ ref, oid });
  }
  if (atomic && refusals.values().some((refusal) => refusal !== undefined)) return result();
  const within = await affordable(parts, granted.call, admitted, atomic);
  for (const { ref } of admitted.slice(within))
    refusals.set(
      ref,
      `too many branches and tags deleted: ${deletionBudget.limit} in any ${deletionBudget.windowSeconds} seconds; try again later`,
    );
  const traced = admitted.slice(0, within);
  if (traced.length === 0) return result();
  try {
    await recordDeletions(parts, granted, traced);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    for (const { ref } of traced) refusals.set(ref, error.message);
  }
  return result();
}

/** How many of the deletions are within the rate limit. Takes them from the budget. */
async function affordable(
  parts: DeletionParts,
  call: Call,
  admitted: readonly unknown[],
  atomic: boolean,
): Promise<number> {
  if (atomic) return (await take(parts, call, admitted.length)).exceeded ? 0 : admitted.length;
  for (let spent = 0; spent < admitted.length; spent += 1) if ((await take(parts, call, 1)).exceeded) return spent;
  return admitted.length;
}
