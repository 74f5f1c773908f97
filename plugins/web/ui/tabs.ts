// Rows of tabs, each with an optional count.
import { html, type Html } from 'hexforge/plugin';

/** A tab. */
export interface Tab {
  readonly title: string;
  readonly href: string;
  /** A text for a number that is not exact, such as `1,000+`. */
  readonly count?: number | string | undefined;
  readonly current: boolean;
  /** Keys that lead to it, such as `gi`. */
  readonly key?: string | undefined;
}

/**
 * @param label names the row for screen readers.
 * @param kind `section` is a column on wide screens.
 */
export const tabs = (label: string, all: readonly Tab[], kind: 'tabs' | 'section' = 'tabs'): Html =>
  html`<nav class="${kind}" aria-label="${label}">
    <ul>
      ${all.map(
        ({ title, href, count, current, key }) =>
          html`<li>
            <a href="${href}" ${current && html`aria-current="page"`} ${key !== undefined && html`data-key="${key}"`}
              >${title}${count !== undefined && html` <span class="count">${String(count)}</span>`}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
