// What the rate limits ask of the world: the stores of budgets, of overrides and of violations.
import type { RateRule, RateScope } from './rule.ts';

/** What an administrator made of the budget of a group. */
export interface StoredBudget extends RateRule {
  readonly groupId: string;
  readonly scope: RateScope;
}

/** Where budgets are kept that differ from their defaults. */
export interface BudgetStore {
  all(): Promise<readonly StoredBudget[]>;
  /** Adds it, or puts it in the place of the one of its group and scope. */
  put(budget: StoredBudget): Promise<void>;
  /** @returns whether there was one. */
  remove(groupId: string, scope: RateScope): Promise<boolean>;
  removeGroup(groupId: string): Promise<void>;
  /** Inside a unit of work: until it ends no other one gets past here. */
  hold(): Promise<void>;
}

/** What a budget can be narrowed for. */
export const overrideKinds = ['repos', 'apps', 'tokens', 'users'] as const;
/** What an override narrows the budget of. */
export type OverrideKind = (typeof overrideKinds)[number];

/** A narrower budget for one target, and why. */
export interface Override extends RateRule {
  readonly kind: OverrideKind;
  readonly targetId: string;
  readonly scope: RateScope;
  readonly reason: string;
  readonly updatedAt: Date;
}
/** What tells an override apart: one target, for one scope. */
export type OverrideKey = Pick<Override, 'kind' | 'targetId' | 'scope'>;

interface Slice {
  readonly limit: number;
  readonly offset: number;
}

/** Where overrides are kept; few, for all of them are held in memory. */
export interface OverrideStore {
  all(): Promise<readonly Override[]>;
  /** Of one kind, the last changed first. */
  list(kind: OverrideKind, slice: Slice): Promise<{ readonly overrides: readonly Override[]; readonly total: number }>;
  get(key: OverrideKey): Promise<Override | undefined>;
  count(): Promise<number>;
  /** Adds it, or puts it in the place of the one with its key. */
  put(override: Override): Promise<void>;
  /** @returns whether there was one. */
  remove(key: OverrideKey): Promise<boolean>;
  removeTargets(kind: OverrideKind, targetIds: readonly string[]): Promise<void>;
}

/** The first request of a window that was refused to a subject; more of them in that window leave no other. */
export interface Violation {
  readonly id: string;
  readonly at: Date;
  /** `user:ID` or `address:NETWORK`, then `:token:ID` and the like where that one's budget was spent. */
  readonly subject: string;
  readonly scope: RateScope;
  readonly limit: number;
  readonly path: string;
  readonly method: string;
  readonly ip: string;
  /** When the window began. */
  readonly windowStart: Date;
}

/** Where violations are kept for a while. */
export interface ViolationStore {
  /** One that is there for its subject, scope and window stays as it is. */
  add(violations: readonly Violation[]): Promise<void>;
  /** The newest first. */
  list(slice: Slice): Promise<{ readonly violations: readonly Violation[]; readonly total: number }>;
  /** The newest that are older than that one, or of all. */
  after(violation: Violation | undefined, limit: number): Promise<readonly Violation[]>;
  /** Removes those from before, and all but the newest so many. */
  prune(before: Date, keep: number): Promise<void>;
}
