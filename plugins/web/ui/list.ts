// Lists in one box, and the text for an empty list.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';

/** A row of a list. */
export interface Row {
  /** Such as the state of an issue. */
  readonly mark?: HtmlPiece;
  /** The first line: what the row is about, as a link. */
  readonly title: HtmlPiece;
  /** The second line. */
  readonly about?: HtmlPiece;
  /** At the end of the row. */
  readonly end?: HtmlPiece;
}

/**
 * Rows in a box.
 * @param head the line above the rows.
 * @param none shown in place of no rows, such as by `empty`.
 */
export const list = (rows: readonly Row[], head?: HtmlPiece, none?: Html): Html =>
  html`<div class="box">
    ${head !== undefined && html`<div class="head">${head}</div>`}
    ${rows.length === 0 && none !== undefined ? none : rowsOf(rows)}
  </div>`;

const rowsOf = (rows: readonly Row[]): Html =>
  html`<ul class="rows">
    ${rows.map(
      ({ mark, title, about, end }) =>
        html`<li>
          ${mark !== undefined && html`<span class="mark">${mark}</span>`}
          <div class="grow">
            <div class="title">${title}</div>
            ${about !== undefined && html`<div class="about">${about}</div>`}
          </div>
          ${end !== undefined && html`<div class="end">${end}</div>`}
        </li>`,
    )}
  </ul>`;

/** @param next What to do next. */
export const empty = (title: string, next?: HtmlPiece): Html =>
  html`<div class="empty">
    <p><b>${title}</b></p>
    ${next !== undefined && html`<div>${next}</div>`}
  </div>`;
