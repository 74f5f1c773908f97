// Tables of administration: a row for each thing, a column for each property.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';

/** @param columns the titles; an empty one is for buttons. */
export const table = (columns: readonly string[], rows: readonly (readonly HtmlPiece[])[]): Html =>
  html`<div class="scrolled" tabindex="0">
    <table class="grid">
      <thead>
        <tr>
          ${columns.map((title) => (title === '' ? html`<td></td>` : html`<th scope="col">${title}</th>`))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
