// The properties of one thing.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';

/** The name of a property and its value. */
export type Fact = readonly [name: string, value: HtmlPiece];

/**
 * Names with their values. Those that are undefined are left out.
 *
 * @example
 *   const about = facts([['Owner', 'ada'], undefined]);
 */
export const facts = (all: readonly (Fact | undefined)[]): Html =>
  html`<dl class="facts">
    ${all.map(
      (fact) =>
        fact !== undefined &&
        html`<dt>${fact[0]}</dt>
          <dd>${fact[1]}</dd>`,
    )}
  </dl>`;
