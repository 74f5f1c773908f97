// Links to the pages before and after.
import { html, type Html } from 'hexforge/plugin';
import { urlWith } from './filter.ts';

/**
 * @param url The path and query of the page that is shown.
 * @param total Undefined if it is not known; then `more` is whether another page follows.
 */
export function pagination(
  url: string,
  { page, perPage, total, more }: { page: number; perPage: number; total?: number; more?: boolean },
): Html | false {
  const last = total === undefined ? undefined : Math.max(1, Math.ceil(total / perPage));
  const follows = last === undefined ? more === true : page < last;
  if (page <= 1 && !follows) return false;
  return html`<nav class="pagination" aria-label="Pages">
    ${page > 1 && html`<a class="button" rel="prev" href="${urlWith(url, { page: String(page - 1) })}">Previous</a>`}
    <span>Page ${String(page)}${last !== undefined && ` of ${last}`}</span>
    ${follows && html`<a class="button" rel="next" href="${urlWith(url, { page: String(page + 1) })}">Next</a>`}
  </nav>`;
}
