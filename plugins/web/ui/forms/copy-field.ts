// Values to copy: in a read-only field, each with a button that a script shows.
import { html, type Html } from 'hexforge/plugin';

/** A value that is copied as a whole, such as a clone URL, a command or a secret. */
export interface CopyField {
  /** The id of the element with the value; unique on the page. */
  readonly id: string;
  readonly label: string;
  /** Its line breaks are kept. */
  readonly value: string;
  readonly hint?: string | undefined;
  /** Whether the label is for screen readers alone, because the page has a visible text for it. */
  readonly hidesLabel?: boolean;
}

/**
 * A value with a button that copies it. Without scripts there is no button, and the text can be selected.
 *
 * @example
 *   const secret = copyField({ id: 'secret', label: 'Secret', value: 'abc', hint: 'It is not shown again.' });
 */
export const copyField = ({ id, label, value, hint, hidesLabel = false }: CopyField): Html =>
  html`<div class="field copy">
    ${value.includes('\n') ? lines(id, label, value, hidesLabel) : line(id, label, value, hidesLabel)}
    <button class="button" type="button" data-copies="${id}" hidden>
      <span aria-live="polite">Copy</span><span class="skip"> ${label}</span>
    </button>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;

const line = (id: string, label: string, value: string, hidesLabel: boolean): Html =>
  html`<label for="${id}" ${hidesLabel && html`class="skip"`}>${label}</label>
    <input id="${id}" value="${value}" readonly autocomplete="off" />`;

const lines = (id: string, label: string, value: string, hidesLabel: boolean): Html =>
  html`<p ${hidesLabel && html`class="skip"`}><b>${label}</b></p>
    <pre id="${id}">${`\n${value}`}</pre>`;
