// Several of some choices, in a form.
import { html, type Html, type HtmlPiece, type RefusedForm } from 'hexforge/plugin';

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
  label,
  name,
  values,
  choices,
  refused,
}: {
  readonly label: string;
  readonly name: string;
  readonly values: readonly string[];
  readonly choices: readonly PickChoice[];
  readonly refused?: RefusedForm | undefined;
}): Html {
  const chosen = new Set(refused === undefined ? values : [refused.values[name] ?? []].flat());
  const wrong = refused?.field === name && html`<p class="error">${refused.detail ?? refused.error}</p>`;
  if (choices.length > mostBoxes)
    return html`<div class="field">
      <label for="${name}">${label}</label>
      <select id="${name}" name="${name}" multiple size="8">
        ${choices.map(
          (one) => html`<option value="${one.value}" ${chosen.has(one.value) && html`selected`}>${one.label}</option>`,
        )}</select
      >${wrong}
    </div>`;
  return html`<fieldset class="picks field">
    <legend>${label}</legend>
    ${choices.map(
      (one) =>
        html`<label
          ><input type="checkbox" name="${name}" value="${one.value}" ${chosen.has(one.value) && html`checked`} />
          ${one.shown ?? html`<bdi>${one.label}</bdi>`}</label
        >`,
    )}
    ${choices.length === 0 && html`<p class="hint">There is nothing to choose from</p>`} ${wrong}
  </fieldset>`;
}
