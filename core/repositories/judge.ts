// The judge of a push, asked in the moment its refs would move: whether the caller may still push, the ref policy, and
// what a deletion costs and leaves behind.
import type { Granted } from '#core/kernel/access';
import { HexforgeError, type ErrorKind } from '#core/kernel/errors';
import { admitDeletions, type DeletionParts } from './deletions.ts';
import type { JudgeRefs } from './git-backend.ts';
import { judgeRefs } from './ref-policy.ts';
import type { RepositoryParts } from './parts.ts';
import type { Repository } from './repository.ts';

export type JudgeParts = DeletionParts & Pick<RepositoryParts, 'store' | 'protections'>;

/** What git shows to who has lost access. */
const lostAccess: { readonly [Kind in ErrorKind]?: string } = {
  unauthorized: 'your credential is not valid any more; use another',
  insufficient_scope: 'your credential may not push here any more',
  forbidden: 'you may not push here any more',
  not_found: 'the repository is not here any more, or not yours to see',
};

/**
 * For every way by which objects and refs come together. What was decided when the push began may be an hour old.
 * @param lost hears why the caller may not push any more.
 */
export const judgePush =
  (
    parts: JudgeParts,
    granted: Granted<Repository, 'repo.write'>,
    lost: (error: HexforgeError) => void = () => undefined,
  ): JudgeRefs =>
  async (updates, { atomic, isAncestor }) => {
    let computed = false;
    const objects = {
      atomic,
      isAncestor(older: string, newer: string): Promise<boolean> {
        computed = true;
        return isAncestor(older, newer);
      },
    };
    try {
      const before = await granted.renew();
      const verdicts = await judgeRefs(parts, before.resource, before.call.caller)(updates, objects);
      // A walk of history takes its time too.
      const now = computed ? await granted.renew() : before;
      return await admitDeletions(parts, now, updates, verdicts, atomic);
    } catch (error) {
      const refusal = error instanceof HexforgeError ? lostAccess[error.kind] : undefined;
      if (refusal === undefined) throw error;
      lost(error as HexforgeError);
      return updates.map(({ ref }) => ({ ref, refusal }));
    }
  };
