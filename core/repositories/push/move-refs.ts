// Creates and deletes refs over REST. The change is judged like a push, has an intent, and emits the same events.
import type { Granted } from '#core/kernel/access/access';
import { Conflict, Forbidden, Unavailable } from '#core/kernel/errors';
import type { RefUpdate } from '../git/git-backend.ts';
import type { Moving } from '../git/git-refs.ts';
import { judgeRefs } from './ref-policy.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { pushIntent, type PushIntentParts } from './push-intent.ts';
import type { RefLimitParts } from './ref-limit.ts';
import type { Repository } from '../model/repository.ts';

export type MoveParts = PushIntentParts & RefLimitParts & Pick<RepositoryParts, 'protections'>;
type Writable = Granted<Repository, 'repo.write'>;

/**
 * @throws {Forbidden} with the rule that does not allow the change; {Unauthorized | NotFound} if access was lost while
 * the request was queued.
 */
export async function checkMove(parts: MoveParts, granted: Writable, update: RefUpdate): Promise<void> {
  const { resource: repository, call } = await granted.renew();
  const verdicts = await judgeRefs(
    parts,
    repository,
    call.caller,
  )([update], {
    // Creations and deletions rewrite no history and add no objects.
    isAncestor: async () => false,
    atomic: true,
    size: async () => 0,
  });
  const refusal = verdicts.find(({ ref }) => ref === update.ref)?.refusal;
  if (refusal !== undefined) throw new Forbidden('The branch or tag is protected from this', { detail: refusal });
}

/**
 * Creates or deletes one ref after `checkMove`. `stale` if its current value is not `update.old`.
 * @throws {Conflict} if the name conflicts with another ref (`a` and `a/b`).
 */
export async function moveRef(
  parts: MoveParts,
  { resource: { id }, call }: Writable,
  update: RefUpdate,
): Promise<Exclude<Moving, 'in-the-way'>> {
  const { hooks, renew, conclude } = pushIntent(parts, id, call.caller);
  let moving: Moving;
  try {
    await hooks.announced([update]);
    await renew();
    moving = await parts.git.moveRefs(id, [update]).catch(async (error: unknown) => {
      // git may have moved the ref although the call failed. The client must get a success then, so that it does not
      // retry.
      const [now] = await parts.git.readRefs(id, [update.ref]).catch(() => {
        throw new Unavailable('The branch or tag may have been changed, or not', {
          detail: 'Look at it before you try again',
          cause: error,
        });
      });
      if (now !== update.new) throw error;
      return 'moved' as const;
    });
    if (moving === 'moved') await hooks.landed([update]);
    await conclude(true);
  } catch (error) {
    await conclude(false);
    throw error;
  }
  if (moving === 'in-the-way')
    throw new Conflict('The name is in the way of another', {
      detail: `"${update.ref}" and one of its folders cannot both be names; choose another`,
    });
  return moving;
}
