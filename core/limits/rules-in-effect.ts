// Caches the stored budgets and overrides for a second, so that metering a request usually needs no query.
import type { Clock } from '#core/kernel/time';
import type { BudgetStore, Override, OverrideKey, OverrideStore, StoredBudget } from './ports.ts';
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

export interface RulesInEffect {
  current(): Promise<StoredRules>;
  /** Reads the stores and bypasses the cache. */
  read(): Promise<StoredRules>;
  /** Clears the cache, so that the next call of `current` reads the stores. */
  forget(): void;
}

export function rulesInEffect({
  budgets,
  overrides,
  clock,
}: {
  readonly budgets: BudgetStore;
  readonly overrides: OverrideStore;
  readonly clock: Clock;
}): RulesInEffect {
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

  return {
    read,
    async current() {
      const now = clock.now().getTime();
      const age = now - (kept?.at ?? 0);
      if (kept !== undefined && age >= 0 && age < staleAfter) return kept.rules;
      const rules = readAgain();
      kept = { rules, at: now };
      return rules;
    },
    forget() {
      kept = undefined;
    },
  };
}

const keyOf = ({ kind, targetId, scope }: OverrideKey): string => `${kind} ${targetId} ${scope}`;
