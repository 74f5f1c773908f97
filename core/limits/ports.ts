// Ports of the limits area: the stores of budgets, overrides and violations.
import type { RateRule, RateScope } from './rule.ts';

/** A group's budget as set by an administrator. */
export interface StoredBudget extends RateRule {
  readonly groupId: string;
  readonly scope: RateScope;
}

/** The store of budgets that differ from their defaults. */
export interface BudgetStore {
  all(): Promise<readonly StoredBudget[]>;
  /** Inserts the budget, or replaces the one of the same group and scope. */
  put(budget: StoredBudget): Promise<void>;
  /** @returns whether it existed. */
  remove(groupId: string, scope: RateScope): Promise<boolean>;
  removeGroup(groupId: string): Promise<void>;
  /** Blocks other units of work that call `hold` until this unit of work ends. */
  hold(): Promise<void>;
}

/** The kinds of targets whose budget can be narrowed. */
export const overrideKinds = ['repos', 'apps', 'tokens', 'users'] as const;
/** The kind of target whose budget an override narrows. */
export type OverrideKind = (typeof overrideKinds)[number];

/** A narrower budget for one target, with the reason. */
export interface Override extends RateRule {
  readonly kind: OverrideKind;
  readonly targetId: string;
  readonly scope: RateScope;
  readonly reason: string;
  /** Whether an instance administrator set it. Others cannot narrow what instance administrators have. */
  readonly byAdmin: boolean;
  readonly updatedAt: Date;
}
/** The key of an override: one target and one scope. */
export type OverrideKey = Pick<Override, 'kind' | 'targetId' | 'scope'>;

interface Slice {
  readonly limit: number;
  readonly offset: number;
}

/** The store of overrides. They are few, because all of them are cached in memory. */
export interface OverrideStore {
  all(): Promise<readonly Override[]>;
  /** Overrides of one kind, the most recently changed first. */
  list(kind: OverrideKind, slice: Slice): Promise<{ readonly overrides: readonly Override[]; readonly total: number }>;
  get(key: OverrideKey): Promise<Override | undefined>;
  count(): Promise<number>;
  /** Inserts the override, or replaces the one with the same key. */
  put(override: Override): Promise<void>;
  /** @returns whether it existed. */
  remove(key: OverrideKey): Promise<boolean>;
  removeTargets(kind: OverrideKind, targetIds: readonly string[]): Promise<void>;
}

/** The first rejected request of a subject in a window. Further rejections in the same window are not recorded. */
export interface Violation {
  readonly id: string;
  readonly at: Date;
  /** `user:ID` or `address:NETWORK`, followed by `:token:ID` or similar if the budget of that target was exceeded. */
  readonly subject: string;
  readonly scope: RateScope;
  readonly limit: number;
  readonly path: string;
  readonly method: string;
  readonly ip: string;
  /** The start of the window. */
  readonly windowStart: Date;
}

/** The store of violations. They are kept for a limited time. */
export interface ViolationStore {
  /** Skips a violation if one exists for the same subject, scope and window. */
  add(violations: readonly Violation[]): Promise<void>;
  /** Newest first. */
  list(slice: Slice): Promise<{ readonly violations: readonly Violation[]; readonly total: number }>;
  /** The newest violations older than the given one, or the newest of all. */
  after(violation: Violation | undefined, limit: number): Promise<readonly Violation[]>;
  /** Deletes violations from before this time, and all but the newest `keep`. */
  prune(before: Date, keep: number): Promise<void>;
}
