// Parts of a page that open on demand, without a script.
import { html, type Html, type HtmlPiece, type RefusedForm } from 'hexforge/plugin';
import { button } from './button.ts';
import { field, formError, refusedIn } from './field.ts';

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

/**
 * A button that asks before it does something that cannot be undone: it opens the consequences and a second button,
 * which sends the form.
 */
export const confirmButton = (
  label: string,
  {
    action,
    about,
    confirm,
    fields = {},
  }: {
    /** The path that receives the form, and its hidden fields. */
    readonly action: string;
    readonly fields?: Readonly<Record<string, string>>;
    /** The consequences. */
    readonly about: HtmlPiece;
    /** The label of the second button. */
    readonly confirm: string;
  },
): Html =>
  disclosure(
    label,
    html`<form method="post" action="${action}">
      ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <p>${about}</p>
      ${button(confirm, { kind: 'danger' })}
    </form>`,
    { kind: 'button' },
  );

/**
 * A button that asks for the name of the thing that is deleted. The form has one field; its `run` compares it.
 * @param name of the field; `typed` is shown in it while it is empty.
 */
export function typedConfirmation(
  label: string,
  {
    form,
    action,
    name,
    asks,
    typed,
    refused,
  }: {
    /** The id of the form. */
    readonly form: string;
    readonly action: string;
    readonly name: string;
    /** The label of the field, such as `Type the username to delete it`. */
    readonly asks: string;
    readonly typed?: string;
    readonly refused: RefusedForm | undefined;
  },
): Html {
  const own = refusedIn(refused, form);
  return disclosure(
    label,
    html`<form class="form" method="post" action="${action}">
      ${formError(own, form, name)}
      ${field({
        label: asks,
        name,
        id: form,
        required: true,
        autocomplete: 'off',
        placeholder: typed,
        refused: own,
      })}
      ${button('Delete', { kind: 'danger' })}
    </form>`,
    { kind: 'button', open: own !== undefined },
  );
}
