// Rate limiting: counting against a budget, for request metering, login throttling and branch deletions.
import { declarePort } from './ports.ts';

/** Document A, "Limits", and document D, "Rate limits". `none`: health alone. */
export type Meter = 'api.read' | 'api.write' | 'api.expensive' | 'mcp.tool_call' | 'none';

/** How many units may be taken in how long. */
export interface Budget {
  readonly limit: number;
  readonly windowSeconds: number;
  /** `fixed` windows start at multiples of the window; a `rolling` one looks back from now. */
  readonly window: 'fixed' | 'rolling';
}

/** How a budget stands. */
export interface Count {
  readonly limit: number;
  readonly remaining: number;
  /** When a unit is free again. */
  readonly resetAt: Date;
  readonly exceeded: boolean;
}

/**
 * A key begins with its class, up to the first `:`, or the second where `user` or `address` stands between, such as
 * `api.read:address:192.0.2.1`. Classes are few and fixed. A counter that is bounded in size is so per class, and
 * forgets a key whose budget is spent last: no flood of keys resets another class or a spent budget.
 */
export interface RateCounter {
  /** Takes `units` (1) from the budget under `key`; an exceeded budget takes nothing. */
  take(key: string, budget: Budget, now: Date, units?: number): Promise<Count>;
  /** Gives one unit back, the latest taken: what it was taken for turned out not to count. */
  giveBack(key: string, budget: Budget, now: Date): Promise<void>;
  /** Reads without taking. */
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

/** What a request is metered by beside its caller; it may have a narrower budget of its own. */
export interface MeteredTarget {
  readonly kind: 'repos' | 'apps' | 'tokens';
  readonly id: string;
}

/**
 * Says which things there are that can have a budget of their own: for each kind that the plugin keeps, a function that
 * answers for a batch of ids, in one query.
 */
export type MeteredTargets = {
  readonly [Kind in MeteredTarget['kind']]?: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
};

/** A request that was refused for a spent budget. */
export interface RateRefusal {
  /** Whose budget: the key it is counted under, without its class. */
  readonly subject: string;
  readonly scope: Exclude<Meter, 'none'>;
  readonly limit: number;
  readonly windowSeconds: number;
  /** Without the query. */
  readonly path: string;
  readonly method: string;
  readonly ip: string;
  readonly at: Date;
}

/** Names who is metered for what and by how much; absent, nothing is metered. Provided by the plugin `limits`. */
export interface RateBudgets {
  /** Undefined where the caller is not limited. */
  budget(
    meter: Exclude<Meter, 'none'>,
    caller: { readonly userId?: string; readonly isAdmin: boolean },
  ): Promise<Budget | undefined>;
  /** What each caller may take with this token or application, or of this repository. Absent: nothing is narrower. */
  narrowed?(meter: Exclude<Meter, 'none'>, target: MeteredTarget): Promise<Budget | undefined>;
  /** Is told of every refusal. Returns at once and never throws. */
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
