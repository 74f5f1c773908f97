// Caches the stored budgets and overrides for a second, so that metering a request usually needs no query.
import type { LimitParts } from './parts.ts';
import type { Override, OverrideKey, StoredBudget } from './ports.ts';
import type { RateScope } from './rule.ts';

/**
 * Milliseconds that cached rules are used. Changes in other processes arrive earlier through the event
 * `rate_limit.changed`, but that event can be lost.
 */
const staleAfter = 1000;

export interface StoredRules {
  budget(groupId: string, scope: RateScope): StoredBudget | undefined;
  override(key: OverrideKey): Override | undefined;
}

export type RulesInEffect = ReturnType<typeof rulesInEffect>;

export function rulesInEffect({ budgets, overrides, unitOfWork, clock }: LimitParts) {
  let kept: { readonly rules: Promise<StoredRules>; readonly at: number } | undefined;
  let last: StoredRules | undefined;

  const read = async (): Promise<StoredRules> => {
    const ofGroups = new Map((await budgets.all()).map((budget) => [`${budget.groupId} ${budget.scope}`, budget]));
    const ofTargets = new Map((await overrides.all()).map((override) => [keyOf(override), override]));
    return {
      budget: (groupId, scope) => ofGroups.get(`${groupId} ${scope}`),
      override: (key) => ofTargets.get(keyOf(key)),
    };
  };

  /** If the stores cannot be read, returns the previous rules, and the next call tries again. */
  const readAgain = async (): Promise<StoredRules> => {
    try {
      last = await read();
      return last;
    } catch (error) {
      kept = undefined;
      if (last === undefined) throw error;
      return last;
    }
  };

  /** Clears the cache, so that the next call of `current` reads the stores. */
  const forget = (): void => {
    kept = undefined;
  };

  return {
    /** Reads the stores and bypasses the cache. */
    read,
    async current(): Promise<StoredRules> {
      const now = clock.now().getTime();
      const age = now - (kept?.at ?? 0);
      if (kept !== undefined && age >= 0 && age < staleAfter) return kept.rules;
      const rules = readAgain();
      kept = { rules, at: now };
      return rules;
    },
    forget,
    /**
     * Runs a change of the rules in a unit of work, then clears the cache. Clears it even after a failure, because the
     * commit may have succeeded although its reply was lost.
     */
    async change<T>(work: () => Promise<T>): Promise<T> {
      try {
        return await unitOfWork.run(work);
      } finally {
        forget();
      }
    },
  };
}

const keyOf = ({ kind, targetId, scope }: OverrideKey): string => `${kind} ${targetId} ${scope}`;
