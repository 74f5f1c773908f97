// Several of some choices, in a form.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';
import { around, described, invalid, notes, type Labelled } from './field.ts';

/** One of the choices. */
export interface PickChoice {
  readonly value: string;
  readonly label: string;
  /** Shown beside the box in place of the label. */
  readonly shown?: HtmlPiece;
}

/** The most choices that have a box each. More are one list, which needs less space. */
const mostBoxes = 100;

/** Boxes to tick, of which each sends its value under the same name. @param values those that are ticked. */
export function picks({
  values,
  choices,
  ...common
}: Omit<Labelled, 'required'> & {
  readonly values: readonly string[];
  readonly choices: readonly PickChoice[];
}): Html {
  const { label, name, id = name, refused } = common;
  const chosen = new Set(refused === undefined ? values : [refused.values[name] ?? []].flat());
  const marked = (value: string, mark: Html): Html | false => chosen.has(value) && mark;
  if (choices.length > mostBoxes)
    return around(
      common,
      html`<select id="${id}" name="${name}" multiple size="8" ${invalid(common)} ${described(common)}>
        ${choices.map(
          (one) => html`<option value="${one.value}" ${marked(one.value, html`selected`)}>${one.label}</option>`,
        )}
      </select>`,
    );
  return html`<fieldset class="picks field" ${described(common)}>
    <legend>${label}</legend>
    ${choices.map(
      (one) =>
        html`<label
          ><input
            type="checkbox"
            name="${name}"
            value="${one.value}"
            ${invalid(common)}
            ${marked(one.value, html`checked`)}
          />
          ${one.shown ?? html`<bdi>${one.label}</bdi>`}</label
        >`,
    )}
    ${choices.length === 0 && html`<p class="hint">There is nothing to choose from</p>`} ${notes(common)}
  </fieldset>`;
}
