// Rate limiting: counts requests, sign-in attempts and branch deletions against budgets.
import { declarePort } from './ports.ts';

/** The budgets that requests are counted against. `none`: not counted; used for health checks only. */
export type Meter = 'api.read' | 'api.write' | 'api.expensive' | 'mcp.tool_call' | 'none';

/** How many units may be taken in a window. */
export interface Budget {
  readonly limit: number;
  readonly windowSeconds: number;
  /** `fixed` windows start at multiples of the window length; a `rolling` window ends now. */
  readonly window: 'fixed' | 'rolling';
}

/** The state of a budget. */
export interface Count {
  readonly limit: number;
  readonly remaining: number;
  /** When the next unit becomes available. */
  readonly resetAt: Date;
  readonly exceeded: boolean;
}

/**
 * Counts units per key. A key starts with its class: the part before the first `:`, or before the second if `user` or
 * `address` follows the first, such as `api.read:address:192.0.2.1`. Classes are few and fixed. A counter of bounded
 * size is bounded per class and evicts exhausted budgets last, so that a flood of keys resets neither another class nor
 * an exhausted budget.
 */
export interface RateCounter {
  /** Takes `units` (default 1) from the budget under `key`. Takes nothing if the budget would be exceeded. */
  take(key: string, budget: Budget, now: Date, units?: number): Promise<Count>;
  /** Returns the unit taken last, if the operation turned out not to count. */
  giveBack(key: string, budget: Budget, now: Date): Promise<void>;
  /** Reads the state without taking a unit. */
  peek(key: string, budget: Budget, now: Date): Promise<Count>;
  clear(key: string): Promise<void>;
}

declare module './ports.ts' {
  interface Ports {
    RateCounter: RateCounter;
  }
}

declarePort('RateCounter', {
  arity: 'single',
  component: 'rate counter',
  critical: false,
  absent: 'refuse',
  methods: ['take', 'giveBack', 'peek', 'clear'],
});

/** A resource that a request is metered by, in addition to the caller. It may have a narrower budget. */
export interface MeteredTarget {
  readonly kind: 'repos' | 'apps' | 'tokens';
  readonly id: string;
}

/**
 * Reports which resources with a separate budget exist: one function per kind that the plugin stores. Each checks a
 * batch of ids in one query. A map also has the user id of each owner.
 */
export type MeteredTargets = {
  readonly [Kind in MeteredTarget['kind']]?: (
    ids: readonly string[],
  ) => Promise<ReadonlySet<string> | ReadonlyMap<string, string>>;
};

/** A request that was rejected because a budget was exceeded. */
export interface RateRefusal {
  /** The key of the budget without its class. */
  readonly subject: string;
  readonly scope: Exclude<Meter, 'none'>;
  readonly limit: number;
  readonly windowSeconds: number;
  /** The path without the query. */
  readonly path: string;
  readonly method: string;
  readonly ip: string;
  readonly at: Date;
}

/** Determines the budget of each caller. Without a provider nothing is metered. Provided by the plugin `limits`. */
export interface RateBudgets {
  /** Undefined if the caller is not limited. */
  budget(
    meter: Exclude<Meter, 'none'>,
    caller: { readonly userId?: string; readonly isAdmin: boolean },
  ): Promise<Budget | undefined>;
  /**
   * The budget of the caller for this token, application or repository. Absent: there are no such budgets.
   * @param caller absent: a caller who is no instance administrator.
   */
  narrowed?(
    meter: Exclude<Meter, 'none'>,
    target: MeteredTarget,
    caller?: { readonly isAdmin: boolean },
  ): Promise<Budget | undefined>;
  /** Called for every rejected request. Returns at once and never throws. */
  refused?(refusal: RateRefusal): void;
}

declare module './ports.ts' {
  interface OptionalPorts {
    RateBudgets: RateBudgets;
  }
  interface PluralPorts {
    MeteredTargets: MeteredTargets;
  }
}

declarePort('RateBudgets', {
  arity: 'optional',
  component: 'rate limits',
  critical: false,
  absent: 'degraded',
  methods: ['budget'],
});
declarePort('MeteredTargets', {
  arity: 'plural',
  component: 'things with budgets of their own',
  critical: false,
  absent: 'degraded',
});
