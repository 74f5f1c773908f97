// Pagination of lists: the rules for out-of-range values, and the page and limit/offset forms.

/** The requested page of a list. */
export interface PageRequest {
  /** 1-based. */
  readonly page: number;
  readonly perPage: number;
}

/** One page. A presenter turns it into `{ items, total, page, per_page }`. */
export interface Page<T> extends PageRequest {
  readonly items: readonly T[];
  /** The count of all rows on all pages. */
  readonly total: number;
}

/** How an out-of-range `per_page` is replaced. */
export type PageRule = {
  readonly default: number;
  /**
   * `uncapped`: no maximum; `default`: the default; `cap`: `max` if above it, the default if below 1; `clamp`: the
   * nearest value of [1, max]; `maximum`: always `max`.
   */
  readonly outside: 'uncapped' | 'default' | 'cap' | 'clamp' | 'maximum';
  readonly max: number;
};

/** The rules for `per_page`, one per kind of list. */
export const pageRules = {
  /** Issue list: any positive value; 0 and below become the default. */
  uncapped: (fallback = 25): PageRule => ({ default: fallback, outside: 'uncapped', max: Number.MAX_SAFE_INTEGER }),
  /** Most lists: a value outside [1, max] becomes the default. */
  orDefault: (fallback = 25, max = 100): PageRule => ({ default: fallback, outside: 'default', max }),
  /** Branch and tag lists: a value above `max` becomes `max`; a value below 1 becomes the default. */
  capped: (fallback = 25, max = 100): PageRule => ({ default: fallback, outside: 'cap', max }),
  /** Merge-request lists: clamped to [1, max]. */
  clamped: (fallback = 25, max = 100): PageRule => ({ default: fallback, outside: 'clamp', max }),
  /** Some administrator lists: a value outside [1, max] becomes `max`. */
  maximum: (fallback: number, max: number): PageRule => ({ default: fallback, outside: 'maximum', max }),
} as const;

/**
 * Reads the query parameters `page` and `per_page`. Values that are not integers count as absent.
 *
 * @example
 *   const request = readPage(pageRules.orDefault(), { page: '2' });
 */
export function readPage(rule: PageRule, query: { readonly page?: unknown; readonly per_page?: unknown }): PageRequest {
  return { page: Math.max(1, wholeNumber(query.page) ?? 1), perPage: bound(rule, wholeNumber(query.per_page)) };
}

/** The page that a plugin requests by a port: within the rule, whatever it passes. */
export const boundedPage = (rule: PageRule, { page, perPage }: Partial<PageRequest> = {}): PageRequest =>
  readPage(rule, { page, per_page: perPage });

/** Reads `limit` and `offset`. An out-of-range limit is replaced by the rule, a negative offset by 0. */
export function readSlice(
  rule: PageRule,
  query: { readonly limit?: unknown; readonly offset?: unknown },
): { limit: number; offset: number } {
  return { limit: bound(rule, wholeNumber(query.limit)), offset: Math.max(0, wholeNumber(query.offset) ?? 0) };
}

/** The number of rows before the page, at most the largest safe integer. */
export const offsetOf = ({ page, perPage }: PageRequest): number =>
  Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);

function bound(rule: PageRule, value: number | undefined): number {
  if (value === undefined) return rule.default;
  if (value >= 1 && value <= rule.max) return value;
  switch (rule.outside) {
    case 'uncapped':
    case 'default':
      return rule.default;
    case 'cap':
      return value < 1 ? rule.default : rule.max;
    case 'clamp':
      return value < 1 ? 1 : rule.max;
    case 'maximum':
      return rule.max;
  }
}

const most = Number.MAX_SAFE_INTEGER;

/** Reads an integer from a query value; undefined if it is not one. Clamped to the range of safe integers. */
export function wholeNumber(value: unknown): number | undefined {
  const whole = typeof value === 'string' ? /^[+-]?\d+$/.test(value) : Number.isInteger(value);
  return whole ? Math.min(most, Math.max(-most, Number(value))) : undefined;
}
