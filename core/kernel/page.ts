// Pagination forms of document A, "Pagination (shared)": four bound rules and the limit/offset form.

/** Which page of a list is asked for. */
export interface PageRequest {
  /** 1-based. */
  readonly page: number;
  readonly perPage: number;
}

/** The envelope's content; a presenter turns it into `{ items, total, page, per_page }`. */
export interface Page<T> extends PageRequest {
  readonly items: readonly T[];
  /** The count of all rows, unpaged. */
  readonly total: number;
}

/** What an out-of-range `per_page` becomes. */
export type PageRule = {
  readonly default: number;
  /**
   * `uncapped`: rule 1; `default`: rule 2; `cap`: max above it, the default below 1; `clamp`: to [1, max]; `maximum`:
   * rule 3, any value out of range becomes `max`.
   */
  readonly outside: 'uncapped' | 'default' | 'cap' | 'clamp' | 'maximum';
  readonly max: number;
};

/** The rules for `per_page`, one for each kind of list. */
export const pageRules = {
  /** Rule 1 (issue list): any positive value; zero or below is the default. */
  uncapped: (fallback = 25): PageRule => ({ default: fallback, outside: 'uncapped', max: Number.MAX_SAFE_INTEGER }),
  /** Rule 2 (the common helper): outside [1, 100] is the default. */
  orDefault: (fallback = 25, max = 100): PageRule => ({ default: fallback, outside: 'default', max }),
  /** Branch and tag lists: clamped to `max`; below 1 is the default. */
  capped: (fallback = 25, max = 100): PageRule => ({ default: fallback, outside: 'cap', max }),
  /** Merge-request lists: clamped to [1, max]. */
  clamped: (fallback = 25, max = 100): PageRule => ({ default: fallback, outside: 'clamp', max }),
  /** Rule 3 (some admin lists): a value out of range becomes the maximum. */
  maximum: (fallback: number, max: number): PageRule => ({ default: fallback, outside: 'maximum', max }),
} as const;

/**
 * Reads `page` and `per_page` as they came in the query; what is no integer counts as absent.
 *
 * @example
 *   const request = readPage(pageRules.orDefault(), { page: '2' });
 */
export function readPage(rule: PageRule, query: { readonly page?: unknown; readonly per_page?: unknown }): PageRequest {
  return { page: Math.max(1, wholeNumber(query.page) ?? 1), perPage: bound(rule, wholeNumber(query.per_page)) };
}

/** Reads `limit` and `offset`; out of range they become the maximum and 0 (document A, rule 3). */
export function readSlice(
  rule: PageRule,
  query: { readonly limit?: unknown; readonly offset?: unknown },
): { limit: number; offset: number } {
  return { limit: bound(rule, wholeNumber(query.limit)), offset: Math.max(0, wholeNumber(query.offset) ?? 0) };
}

/** How many rows come before the page. No list has more than the largest whole number, so none is past it. */
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

/** What counts as a number in a query; one too large to be told from its neighbours is the largest that can be. */
export function wholeNumber(value: unknown): number | undefined {
  const whole = typeof value === 'string' ? /^[+-]?\d+$/.test(value) : Number.isInteger(value);
  return whole ? Math.min(most, Math.max(-most, Number(value))) : undefined;
}
