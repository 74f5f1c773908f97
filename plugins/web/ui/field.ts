// Fields of forms, each with its label, a hint, and the error of the form that was refused.
import { html, type Html, type RefusedForm } from 'hexforge/plugin';

interface Common {
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
export interface Field extends Common {
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'date' | 'number' | 'search';
  readonly value?: string | undefined;
  readonly autocomplete?: string;
  /** Whether the page opens with the cursor in it. */
  readonly autofocus?: boolean;
  readonly placeholder?: string;
  /** Values to choose from; others can be typed. */
  readonly suggestions?: readonly string[];
}

/** The text that was typed, or the given one. Passwords are not sent back. */
function typed({ name, refused }: Common, value = ''): string {
  const sent = refused?.values[name];
  return refused === undefined ? value : typeof sent === 'string' ? sent : (sent?.[0] ?? '');
}

function around(field: Common, control: Html): Html {
  const { label, name, id = name, hint, refused } = field;
  const wrong = refused?.field === name;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${control} ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${wrong && html`<p class="error" id="${id}-error">${refused?.detail ?? refused?.error}</p>`}
  </div>`;
}

/** Attributes that every control has. */
function attributes({ name, id = name, hint, required = false, refused }: Common): Html {
  const wrong = refused?.field === name;
  const described = [hint !== undefined ? `${id}-hint` : [], wrong ? `${id}-error` : []].flat();
  return html`id="${id}" name="${name}" ${required && html`required`} ${wrong && html`aria-invalid="true"`}
  ${described.length > 0 && html`aria-describedby="${described.join(' ')}"`}`;
}

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
}: Common & { readonly value?: string; readonly rows?: number }): Html =>
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
}: Common & { readonly value?: string; readonly choices: readonly Choice[] }): Html => {
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
export const checkBox = ({ value = false, label, ...common }: Common & { readonly value?: boolean }): Html => {
  const ticked = common.refused === undefined ? value : common.refused.values[common.name] === 'true';
  return html`<div class="field tick">
    <input type="checkbox" ${attributes({ label, ...common })} value="true" ${ticked && html`checked`} />
    <label for="${common.id ?? common.name}">${label}</label>
    ${common.hint !== undefined && html`<p class="hint" id="${common.id ?? common.name}-hint">${common.hint}</p>`}
  </div>`;
};

/** The error of a refused form that is not about one of its fields. */
export const formError = (refused: RefusedForm | undefined, form: string, ...fields: readonly string[]): Html | false =>
  refused?.form === form &&
  !fields.includes(refused.field ?? '') &&
  html`<p class="alert" role="alert"><b>${refused.error}</b> ${refused.detail}</p>`;
