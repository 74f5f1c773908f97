// Receives a push: commits an intent before git reads an object, judges each ref, and records the result before the
// client gets the response.
import type { PushAnswer } from '../git/git-transport.ts';
import { judgePush, type JudgeParts } from './judge.ts';
import type { Pushes } from '../model/offers.ts';
import { pushIntent, type PushIntentParts } from './push-intent.ts';

type Parts = PushIntentParts & JudgeParts;

export function pushes(parts: Parts): Pushes {
  const { git } = parts;
  return {
    async receive(granted, request) {
      const { resource: repository, call } = granted;
      const intent = pushIntent(parts, repository.id, call.caller);
      const judging = judgePush(parts, granted, intent);
      const conclude = async (complete: boolean): Promise<void> => {
        // If no ref was accepted, the refs are not read: one may already have the value that the client requested.
        await intent.conclude(complete || !judging.admitted);
        judging.ended();
      };
      try {
        const answer = await git.receivePack(repository.id, {
          ...request,
          ...intent.hooks,
          service: 'git-receive-pack',
          judge: judging.judge,
          stands: judging.stands,
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
 * Passes the bytes through. `ended` runs once when they end, fail or are closed early. This is not a generator, because
 * a generator that is never started would not run it.
 */
function ending(source: PushAnswer, ended: (complete: boolean) => Promise<void>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const inner = source[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await inner.next();
            if (result.done === true) await ended(source.fault === undefined);
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
