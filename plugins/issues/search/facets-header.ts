// Renders the counts of a search as the value of a header, so that the body can stay a plain array.
import type { SearchResult } from '#core/issues/use-cases';

/** The longest value, because proxies reject responses with much longer headers. */
const most = 4000;

/** Escapes characters that a header cannot contain, as JSON escapes. */
const ascii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** If the value would be too long, leaves out the rarest values of each facet. */
export function facetsHeader(facets: NonNullable<SearchResult['facets']>): string {
  for (let values = Math.max(...Object.values(facets).map(({ length }) => length)); ; values--) {
    const json = ascii(
      JSON.stringify(Object.fromEntries(Object.entries(facets).map(([facet, all]) => [facet, all.slice(0, values)]))),
    );
    if (json.length <= most || values === 0) return json;
  }
}
