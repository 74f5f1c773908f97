// The judge of a push, called immediately before its refs would move. Repeats the access check, and applies the ref
// policy, the quotas, and the rate limit and audit of deletions.
import type { Granted } from '#core/kernel/access/access';
import { HexforgeError, type ErrorKind } from '#core/kernel/errors';
import { admitDeletions, type DeletionParts } from './deletions.ts';
import type { JudgeRefs } from '../git/git-backend.ts';
import type { Maintenance } from './maintenance.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { PushIntent } from './push-intent.ts';
import { roomForBytes } from './byte-limit.ts';
import { roomForRefs, withinRoom, type RefLimitParts } from './ref-limit.ts';
import { judgeRefs } from './ref-policy.ts';
import type { Repository } from '../model/repository.ts';

export type JudgeParts = DeletionParts &
  RefLimitParts &
  Pick<RepositoryParts, 'store' | 'protections' | 'settings'> & { readonly maintenance: Maintenance };

/** The message of git to a user who has lost access. */
const lostAccess: { readonly [Kind in ErrorKind]?: string } = {
  unauthorized: 'your credential is not valid any more; use another',
  insufficient_scope: 'your credential may not push here any more',
  forbidden: 'you may not push here any more',
  not_found: 'the repository is not here any more, or not yours to see',
};

/** @throws the error itself if it is not a loss of access. */
function lossIn(error: unknown): string {
  const refusal = error instanceof HexforgeError ? lostAccess[error.kind] : undefined;
  if (refusal === undefined) throw error;
  return refusal;
}

export interface PushJudge {
  readonly judge: JudgeRefs;
  /** The access recheck: returns why the caller can no longer push, as git shows it, or undefined if they can. */
  stands(): Promise<string | undefined>;
  /** The reason if the caller had lost access when the push was judged. */
  readonly lost: HexforgeError | undefined;
  /** Whether any ref was accepted. Before that, no ref moves. */
  readonly admitted: boolean;
  /** Must be called when the push has ended. */
  ended(): void;
}

/** The permissions that allow to move refs: by a push, or by a merge. */
export type Moving = Granted<Repository, 'repo.write' | 'merge.merge'>;

/**
 * Creates the judge for any operation that adds objects and moves refs. It repeats the access check, because the first
 * one may be an hour old.
 * @param intent must still be valid when a ref is accepted.
 */
export function judgePush(
  parts: JudgeParts,
  granted: Moving,
  intent: Pick<PushIntent, 'renew'>,
  how: 'pushed' | 'merged' = 'pushed',
): PushJudge {
  const room = roomForBytes(parts, granted.resource, granted.call.caller);
  const refRoom = roomForRefs(parts, granted.resource.id);
  let lost: HexforgeError | undefined;
  let admitted = false;
  return {
    get lost() {
      return lost;
    },
    get admitted() {
      return admitted;
    },
    ended() {
      room.ended();
      refRoom.ended();
    },
    async stands() {
      try {
        await granted.renew();
        return undefined;
      } catch (error) {
        return lossIn(error);
      }
    },
    async judge(updates, given) {
      let computed = false;
      const objects: typeof given = {
        ...given,
        isAncestor(older, newer) {
          computed = true;
          return given.isAncestor(older, newer);
        },
      };
      try {
        const before = await granted.renew();
        const policy = judgeRefs(parts, before.resource, before.call.caller, how);
        const verdicts = await room.judge(withinRoom(refRoom, policy))(updates, objects);
        // Walking the history also takes time, so access is checked again.
        const now = computed ? await granted.renew() : before;
        const final = await admitDeletions(parts, now, updates, verdicts, given.atomic);
        if (final.some(({ refusal }) => refusal === undefined)) {
          await intent.renew();
          admitted = true;
        }
        return final;
      } catch (error) {
        const refusal = lossIn(error);
        lost = error as HexforgeError;
        return updates.map(({ ref }) => ({ ref, refusal }));
      }
    },
  };
}
