// Counts of a search as the value of a header, so that the body stays the array that it is without them.
import type { SearchResult } from '#core/issues/use-cases';

/** Proxies refuse answers whose headers are much longer. */
const most = 4000;

/** What a header cannot hold is escaped as JSON escapes it. */
const ascii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** With fewer values of each, the rarest gone first, where long names would make it too long. */
export function facetsHeader(facets: NonNullable<SearchResult['facets']>): string {
  for (let values = Math.max(...Object.values(facets).map(({ length }) => length)); ; values--) {
    const json = ascii(
      JSON.stringify(Object.fromEntries(Object.entries(facets).map(([facet, all]) => [facet, all.slice(0, values)]))),
    );
    if (json.length <= most || values === 0) return json;
  }
}
