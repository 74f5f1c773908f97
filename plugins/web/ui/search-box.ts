// The search box, which suggests things while one types if the page has scripts.
import { html, type Html } from 'hexforge/plugin';

/** A search box. */
export interface SearchBox {
  /** For screen readers, and shown while it is empty. */
  readonly label: string;
  /** The path of the page that receives the typed text as `q`. */
  readonly action: string;
  readonly value?: string | undefined;
  /** Further members of the form. Those that are undefined are left out. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  /** The path that suggests things, as in a `MenuEntry`; undefined for none. */
  readonly suggestions?: string | undefined;
  readonly autofocus?: boolean;
  /** Whether it has a button; otherwise Enter sends it. */
  readonly button?: boolean;
  /** The id of a form elsewhere on the page that sends it; absent: its own. */
  readonly form?: string;
}

/**
 * A box with a text to search for. The key `/` leads to it.
 *
 * @example
 *   const box = searchBox({ label: 'Search bells', action: '/-/x/bell/search', button: true });
 */
export const searchBox = (box: SearchBox): Html => {
  const { label, action, form } = box;
  return form === undefined
    ? html`<form class="search" method="get" action="${action}" role="search" aria-label="${label}">
        ${content(box)}
      </form>`
    : html`<div class="search" role="search" aria-label="${label}">${content(box)}</div>`;
};

function content({
  label,
  value = '',
  fields = {},
  suggestions,
  autofocus = false,
  button = false,
  form,
}: SearchBox): Html {
  const sender = form !== undefined && html`form="${form}"`;
  return html`<div class="grow">
      <input
        name="q"
        value="${value}"
        aria-label="${label}"
        placeholder="${label}"
        maxlength="1000"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        enterkeyhint="search"
        data-key="/"
        aria-keyshortcuts="/"
        ${sender}
        ${autofocus && html`autofocus`}
        ${suggestions !== undefined && html` data-suggestions="${suggestions}"`}
      />
    </div>
    ${Object.entries(fields).map(
      ([name, field]) => field !== undefined && html`<input type="hidden" name="${name}" value="${field}" ${sender} />`,
    )}
    ${button && html`<button class="button" ${sender}>Search</button>`}`;
}
