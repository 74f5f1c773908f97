// Writes to a branch on behalf of a caller, to change a file or to merge. The write has an intent, is judged and is
// recorded like a push, and concurrent changes of the branch are detected.
import { Forbidden, Unprocessable } from '#core/kernel/errors';
import type { JudgeRefs, Oid, RefUpdate, RefVerdict } from '../git/git-backend.ts';
import type { PushHooks } from '../git/git-history.ts';
import { judgePush, type JudgeParts, type Moving } from '../push/judge.ts';
import { pushIntent, type PushIntentParts, type Recorded } from '../push/push-intent.ts';
import { quotaExceeded } from '../model/quota.ts';

export type BranchWriteParts = PushIntentParts & JudgeParts;

/** The ref, its current value, and the options of the write. */
export interface BranchMove {
  /** Full: `refs/heads/main`. */
  readonly ref: string;
  readonly old: Oid;
  readonly how?: 'pushed' | 'merged';
  /** Called after the intent is committed, before the ref can move. */
  readonly announced?: ((update: RefUpdate) => Promise<void>) | undefined;
  /** Called last, immediately before the ref would move. If it rejects, the ref does not move. */
  readonly allowed?: (() => Promise<void>) | undefined;
  readonly recorded?: Recorded | undefined;
}

/** The result of a write by git. `oid` is undefined if there was nothing to write. */
interface Attempt {
  readonly oid: Oid | undefined;
  /** git's message if the branch did not move. */
  readonly refusal: string | undefined;
}

/** Undefined if the branch moved meanwhile. @throws {Forbidden | Unprocessable | Unauthorized | NotFound} */
export async function branchWrite<T extends Attempt>(
  parts: BranchWriteParts,
  granted: Moving,
  { ref, old, how = 'pushed', announced, allowed, recorded }: BranchMove,
  write: (hooks: PushHooks) => Promise<T>,
): Promise<T | undefined> {
  const { resource: repository, call } = granted;
  let refused: RefVerdict | undefined;
  let disallowed: { readonly because: unknown } | undefined;
  const intent = pushIntent(parts, repository.id, call.caller, recorded);
  const judging = judgePush(parts, granted, intent, how);
  const judge: JudgeRefs = async (updates, objects) => {
    const verdicts = await judging.judge(updates, objects);
    refused = verdicts.find((verdict) => verdict.ref === ref && verdict.refusal !== undefined);
    if (refused !== undefined || allowed === undefined) return verdicts;
    try {
      await allowed();
      return verdicts;
    } catch (because) {
      disallowed = { because };
      return [{ ref, refusal: 'this is not allowed any more' }];
    }
  };
  const { hooks, conclude } = intent;
  let complete = false;
  try {
    const written = await write({
      ...hooks,
      async announced(updates) {
        await hooks.announced(updates);
        for (const update of updates) await announced?.(update);
      },
      judge,
      signal: call.signal,
    });
    complete = true;
    const { oid, refusal } = written;
    if (oid === undefined) return written;
    if (judging.lost !== undefined) throw judging.lost;
    if (disallowed !== undefined) throw disallowed.because;
    if (refused?.because === 'quota') throw quotaExceeded(refused.refusal ?? '');
    if (refused !== undefined)
      throw new Forbidden('The branch is protected from this', { detail: refused.refusal ?? '' });
    // If the branch points to this commit now, the write succeeded, whatever git reported.
    const [now] = refusal === undefined ? [oid] : await parts.git.readRefs(repository.id, [ref]);
    if (now === oid) return written;
    if (now !== old) return undefined;
    throw new Unprocessable('git does not take this change', { detail: refusal ?? '' });
  } finally {
    await conclude(complete);
    judging.ended();
  }
}
