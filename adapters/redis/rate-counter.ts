// The rate counter in Redis, shared by all processes. While Redis does not answer, each process counts on its own.
import { createHash } from 'node:crypto';
import type { Budget, Count, RateCounter } from '#core/kernel/rate';
import { countOf, memoryRateCounter, windowStart, type TallyEntry } from '#core/kernel/limits/memory-rate-counter';
import type { Connection } from './connection.ts';
import { script } from './script.ts';

/** Key prefix, because other applications may use the same Redis. */
const prefix = 'hexforge:rate:';
/**
 * Characters. A key may contain text of a client, such as a login name; longer keys are replaced by their SHA-256
 * digest.
 */
const longestKey = 256;

type Action = 'take' | 'give-back' | 'peek';

export function redisRateCounter(connection: Connection): RateCounter {
  const own = memoryRateCounter();
  const shared = async (action: Action, key: string, budget: Budget, now: Date, units = 1): Promise<Count> => {
    const time = now.getTime();
    const windowMs = budget.windowSeconds * 1000;
    const reply = await connection.evaluate(script, keyOf(key), [
      action,
      budget.window,
      windowMs,
      windowStart(budget, time),
      time,
      units,
      budget.limit,
    ]);
    const { exceeded, entries } = readReply(reply);
    return countOf(entries, budget, time, action === 'take' && exceeded ? units : 1, exceeded);
  };
  /**
   * Counts in this process if Redis does not answer. Budgets are then enforced per process, which never rejects a
   * request within its budget.
   */
  const or = async <T>(there: () => Promise<T>, here: () => Promise<T>): Promise<T> => {
    if (!connection.ready()) return here();
    try {
      return await there();
    } catch (error) {
      connection.failed(error);
      return here();
    }
  };
  return {
    take: (key, budget, now, units) =>
      or(
        () => shared('take', key, budget, now, units),
        () => own.take(key, budget, now, units),
      ),
    giveBack: (key, budget, now) =>
      or(
        async () => void (await shared('give-back', key, budget, now)),
        () => own.giveBack(key, budget, now),
      ),
    peek: (key, budget, now) =>
      or(
        () => shared('peek', key, budget, now),
        () => own.peek(key, budget, now),
      ),
    async clear(key) {
      await own.clear(key);
      await or(
        () => connection.remove(keyOf(key)),
        async () => undefined,
      );
    },
  } satisfies RateCounter;
}

const keyOf = (key: string): string =>
  key.length <= longestKey ? prefix + key : `${prefix}${createHash('sha256').update(key).digest('base64url')}`;

function readReply(reply: unknown): { readonly exceeded: boolean; readonly entries: readonly TallyEntry[] } {
  const [exceeded, text] = Array.isArray(reply) ? (reply as readonly unknown[]) : [];
  if (typeof exceeded !== 'number' || typeof text !== 'string')
    throw new TypeError('Redis answered the script of the rate counter with something else than it returns');
  return {
    exceeded: exceeded === 1,
    entries:
      text === ''
        ? []
        : text.split(' ').map((entry) => {
            const [at, units] = entry.split(':');
            return { at: Number(at), units: Number(units) };
          }),
  };
}
