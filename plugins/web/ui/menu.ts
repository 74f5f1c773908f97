// Menus that open without a script.
import { html, type Html } from 'hexforge/plugin';

/** A link in a menu. */
export interface MenuLink {
  readonly title: string;
  readonly href: string;
}

/**
 * A list that opens below its button.
 * @param name for screen readers, if the button shows no text.
 */
export const menu = (shown: Html | string, items: readonly Html[], name?: string): Html =>
  html`<details class="menu">
    <summary class="button" ${name !== undefined && html`aria-label="${name}"`}>${shown}</summary>
    <ul>
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>
  </details>`;

/** A link in a menu. */
export const menuLink = ({ title, href }: MenuLink): Html => html`<a href="${href}">${title}</a>`;
