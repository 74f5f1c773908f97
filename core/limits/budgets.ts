// How much each group of callers may ask for (document D, "Rate limits").
import type { Budget, Meter, RateBudgets } from '#core/kernel/rate';

/** A group of callers that has a budget of its own. */
export type RateGroup = 'anonymous' | 'general' | 'admin';
type Metered = Exclude<Meter, 'none'>;

const windowSeconds = 60;
/** Requests on top of a window's budget. None by default: document D's budgets are what a caller gets. */
const burst = 0;

/** Requests per window. */
export const defaultBudgets: Readonly<Record<RateGroup, Readonly<Record<Metered, number>>>> = {
  anonymous: { 'api.read': 300, 'api.write': 30, 'api.expensive': 30, 'mcp.tool_call': 0 },
  general: { 'api.read': 3000, 'api.write': 600, 'api.expensive': 120, 'mcp.tool_call': 600 },
  admin: { 'api.read': 12000, 'api.write': 3000, 'api.expensive': 600, 'mcp.tool_call': 3000 },
};

/** The group whose budget counts: the highest a caller belongs to. */
export function groupOf(caller: { readonly userId?: string; readonly isAdmin: boolean }): RateGroup {
  if (caller.userId === undefined) return 'anonymous';
  return caller.isAdmin ? 'admin' : 'general';
}

/** `enabled: false` meters nobody (HEXFORGE_RATE_LIMIT=off). */
export function rateBudgets({ enabled }: { readonly enabled: boolean }): RateBudgets {
  const budgets = Object.fromEntries(
    Object.entries(defaultBudgets).map(([group, limits]) => [
      group,
      Object.fromEntries(
        Object.entries(limits).map(([meter, limit]): [string, Budget] => [
          meter,
          { limit: limit + burst, windowSeconds, window: 'fixed' },
        ]),
      ),
    ]),
  );
  return {
    budget: async (meter, caller) => (enabled ? budgets[groupOf(caller)]?.[meter] : undefined),
  } satisfies RateBudgets;
}
