// Filters of lists. They are a form sent by GET, so that each list with its filters has a URL.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';

/**
 * The line above a list.
 * @param fields labelled controls; `end` is at the end of the line, such as a link to the page for a new one.
 */
export const filterBar = (action: string, fields: HtmlPiece, end?: HtmlPiece): Html =>
  html`<div class="bar">
    <form class="filter grow" method="get" action="${action}" role="search">
      ${fields}<button class="button">Filter</button>
    </form>
    ${end}
  </div>`;

/** A search field without a visible label. */
export const searchField = (label: string, name: string, value: string): Html =>
  html`<input
    type="search"
    name="${name}"
    value="${value}"
    aria-label="${label}"
    placeholder="${label}"
    data-key="/"
  />`;

/** A choice without a visible label; the first choice is the default. */
export const filterChoice = (
  label: string,
  name: string,
  value: string,
  choices: readonly { readonly value: string; readonly label: string }[],
): Html =>
  html`<select name="${name}" aria-label="${label}">
    ${choices.map(
      (choice) =>
        html`<option value="${choice.value}" ${choice.value === value && html`selected`}>${choice.label}</option>`,
    )}
  </select>`;

/** A link that shows a list in another way. */
export interface ListLink {
  readonly title: string;
  readonly href: string;
  readonly current: boolean;
}

/** Links in the head of a list, such as its states or orders. @param label names them for screen readers. */
export const listLinks = (label: string, links: readonly ListLink[]): Html =>
  html`<nav class="states" aria-label="${label}">
    ${links.map(
      ({ title, href, current }) => html`<a href="${href}" ${current && html`aria-current="true"`}>${title}</a>`,
    )}
  </nav>`;

/** The path and query of a page, with some parameters replaced; undefined and empty ones are removed. */
export function urlWith(url: string, changes: Readonly<Record<string, string | undefined>>): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') searchParams.delete(name);
    else searchParams.set(name, value);
  const query = searchParams.toString();
  return query === '' ? pathname : `${pathname}?${query}`;
}
