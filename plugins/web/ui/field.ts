// Fields of forms, each with its label, a hint, and the error of the form that was refused.
import { html, type Html, type RefusedForm } from 'hexforge/plugin';
import { notice } from './forms/notice.ts';

/** The properties that every control has. */
export interface Labelled {
  readonly label: string;
  /** The name of the member in the form. */
  readonly name: string;
  /** The id of the control. Default: the name. Needed if two forms of a page have a member of this name. */
  readonly id?: string | undefined;
  readonly hint?: string | undefined;
  readonly required?: boolean;
  /** The form that was refused; what was typed into it is kept. */
  readonly refused?: RefusedForm | undefined;
}

/** A line of text in a form. */
export interface Field extends Labelled {
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'date' | 'number' | 'search';
  readonly value?: string | undefined;
  readonly autocomplete?: string;
  /** Whether the page opens with the cursor in it. */
  readonly autofocus?: boolean;
  readonly placeholder?: string | undefined;
  /** Values to choose from; others can be typed. */
  readonly suggestions?: readonly string[];
}

/** The text that was typed, or the given one. Passwords are not sent back. */
function typed({ name, refused }: Labelled, value = ''): string {
  const sent = refused?.values[name];
  return refused === undefined ? value : typeof sent === 'string' ? sent : (sent?.[0] ?? '');
}

/** A label of at most so many words begins the message; a longer one is a sentence. */
const wordsOfSubject = 3;

/**
 * The message about a field, with its label in place of the name of the member. Undefined if the form was not refused
 * because of this field.
 */
function wrongIn({ label, name, refused }: Labelled): string | undefined {
  if (refused?.field !== name) return undefined;
  const { error, detail = error } = refused;
  const subject = [`Field "${name}"`, `"${name}"`].find((start) => detail.startsWith(start));
  if (subject === undefined) return detail;
  const [separator, rest] = [detail.charAt(subject.length), detail.slice(subject.length + 1).trimStart()];
  // Such as a message about two members, or the refused value alone.
  if (rest === '' || (separator === ':' ? /^"[^"]*"$/.test(rest) : rest.startsWith('and '))) return error;
  if (separator === ' ' && label.split(' ').length <= wordsOfSubject) return `${label} ${rest}`;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The hint and the error of a control. Its attributes refer to them. */
export function notes(field: Labelled): Html {
  const { name, id = name, hint } = field;
  const wrong = wrongIn(field);
  return html`${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  ${wrong !== undefined && html`<p class="error" id="${id}-error">${wrong}</p>`}`;
}

/** Refers to the hint and the error of a control. */
export function described({ name, id = name, hint, refused }: Labelled): Html | false {
  const ids = [hint === undefined ? [] : `${id}-hint`, refused?.field === name ? `${id}-error` : []].flat();
  return ids.length > 0 && html`aria-describedby="${ids.join(' ')}"`;
}

/** Marks a control as the one because of which the form was refused. */
export const invalid = ({ name, refused }: Pick<Labelled, 'name' | 'refused'>): Html | false =>
  refused?.field === name && html`aria-invalid="true"`;

/** Attributes that every control has. */
function attributes(field: Labelled): Html {
  const { name, id = name, required = false } = field;
  return html`id="${id}" name="${name}" ${required && html`required`} ${invalid(field)} ${described(field)}`;
}

/** A control below its label. */
export const around = (field: Labelled, control: Html): Html =>
  html`<div class="field">
    <label for="${field.id ?? field.name}">${field.label}</label>
    ${control} ${notes(field)}
  </div>`;

/** A line of text. */
export const field = ({
  type = 'text',
  value,
  autocomplete,
  autofocus,
  placeholder,
  suggestions,
  ...common
}: Field): Html =>
  around(
    common,
    html`<input
        type="${type}"
        ${attributes(common)}
        ${type !== 'password' && html`value="${typed(common, value)}"`}
        ${autocomplete !== undefined && html`autocomplete="${autocomplete}"`}
        ${autofocus === true && html`autofocus`}
        ${placeholder !== undefined && html`placeholder="${placeholder}"`}
        ${suggestions !== undefined && html`list="${common.name}-list"`}
      />
      ${
        suggestions !== undefined &&
        html`<datalist id="${common.name}-list">
          ${suggestions.map((suggestion) => html`<option value="${suggestion}"></option>`)}
        </datalist>`
      }`,
  );

/** Several lines of text. */
export const textArea = ({
  value,
  rows = 8,
  ...common
}: Labelled & { readonly value?: string; readonly rows?: number }): Html =>
  // The parser drops one newline after the tag.
  around(
    common,
    html`<textarea ${attributes(common)} rows="${String(rows)}">${`\n${typed(common, value)}`}</textarea>`,
  );

/** One of the choices of a `select`. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** One of several choices. */
export const select = ({
  value,
  choices,
  ...common
}: Labelled & { readonly value?: string; readonly choices: readonly Choice[] }): Html => {
  const chosen = typed(common, value);
  return around(
    common,
    html`<select ${attributes(common)}>
      ${choices.map(
        (choice) =>
          html`<option value="${choice.value}" ${choice.value === chosen && html`selected`}>${choice.label}</option>`,
      )}
    </select>`,
  );
};

/** A box to tick, which sends `true`. */
export const checkBox = ({ value = false, label, ...common }: Labelled & { readonly value?: boolean }): Html => {
  const ticked = common.refused === undefined ? value : common.refused.values[common.name] === 'true';
  return html`<div class="field tick">
    <input type="checkbox" ${attributes({ label, ...common })} value="true" ${ticked && html`checked`} />
    <label for="${common.id ?? common.name}">${label}</label>
    ${notes({ label, ...common })}
  </div>`;
};

/** The refused form if it is the one with this id, for a page with several forms. */
export const refusedIn = (refused: RefusedForm | undefined, form: string): RefusedForm | undefined =>
  refused?.form === form ? refused : undefined;

/** The error of a refused form that is not about one of its fields. */
export const formError = (refused: RefusedForm | undefined, form: string, ...fields: readonly string[]): Html | false =>
  refused?.form === form &&
  !fields.includes(refused.field ?? '') &&
  notice(html`<b>${refused.error}</b> ${refused.detail}`, true);

/** Confirms that a form succeeded, on the page that it leads to. */
export const done = (text: string): Html => html`<p class="done" role="status">${text}</p>`;
