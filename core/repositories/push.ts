// Receiving a push: announced before git reads an object, judged ref by ref, recorded before the client hears that it
// landed.
import { judgeRefs } from './ref-policy.ts';
import type { Pushes } from './offers.ts';
import { roomForBytes } from './quota.ts';
import type { RepositoryParts } from './parts.ts';
import { pushIntent, type PushIntentParts } from './push-intent.ts';

type Parts = PushIntentParts & Pick<RepositoryParts, 'protections' | 'settings'>;

export function pushes(parts: Parts): Pushes {
  const { git } = parts;
  return {
    async receive({ resource: repository, call }, request) {
      const intent = pushIntent(parts, repository.id, call.caller);
      const room = roomForBytes(parts, repository, call.caller);
      const conclude = async (complete: boolean): Promise<void> => {
        await intent.conclude(complete);
        room.ended();
      };
      try {
        const answer = await git.receivePack(repository.id, {
          ...request,
          ...intent.hooks,
          service: 'git-receive-pack',
          judge: room.judge(judgeRefs(parts, repository, call.caller)),
        });
        return ending(answer, conclude);
      } catch (error) {
        await conclude(false);
        throw error;
      }
    },
  };
}

/**
 * The same bytes; `ended` runs once when they end, fail or are no longer wanted. A generator would not run it if never
 * started.
 */
function ending(
  source: AsyncIterable<Uint8Array>,
  ended: (complete: boolean) => Promise<void>,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const inner = source[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await inner.next();
            if (result.done === true) await ended(true);
            return result;
          } catch (error) {
            await ended(false);
            throw error;
          }
        },
        async return() {
          try {
            await inner.return?.();
          } finally {
            await ended(false);
          }
          return { done: true, value: undefined };
        },
      };
    },
  };
}
