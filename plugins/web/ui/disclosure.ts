// Parts of a page that open on demand, without a script.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';

/** A part that is closed at first, such as a form. */
export const disclosure = (
  title: HtmlPiece,
  content: HtmlPiece,
  { open = false, kind = 'plain' }: { readonly open?: boolean; readonly kind?: 'plain' | 'button' } = {},
): Html =>
  html`<details class="disclosure" ${open && html`open`}>
    <summary class="${kind === 'button' ? 'button' : 'quiet'}">${title}</summary>
    <div class="disclosed">${content}</div>
  </details>`;

/**
 * A part of the side column.
 * @param content undefined if there is nothing yet: then readers without a form do not see the part.
 * @param edit the form that changes it, closed at first.
 */
export const sidePart = (title: string, content: HtmlPiece, edit?: Html, open = false): Html =>
  content === undefined && edit === undefined ? html`` : section(title, content, edit, open);

const section = (title: string, content: HtmlPiece, edit: Html | undefined, open: boolean): Html =>
  html`<section>
    ${
      edit === undefined
        ? html`<h2>${title}</h2>`
        : html`<details class="edit" ${open && html`open`}>
            <summary>
              <h2>${title}</h2>
              <span class="quiet">Edit</span>
            </summary>
            ${edit}
          </details>`
    }
    ${content !== undefined && html`<div>${content}</div>`}
  </section>`;

/** A part of a settings page, with its title and explanation. */
export const group = (title: string, about: HtmlPiece, content: HtmlPiece): Html =>
  html`<section class="group">
    <h2>${title}</h2>
    ${about !== undefined && about !== '' && html`<p class="muted">${about}</p>`} ${content}
  </section>`;
