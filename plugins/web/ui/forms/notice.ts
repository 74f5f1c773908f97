// Remarks that must not be overlooked.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';

/**
 * A remark that the reader must not overlook, such as why something does not work.
 *
 * @example
 *   const stopped = notice('It is suspended: nobody can use it.');
 *
 * @param isUrgent whether screen readers say it at once, as the answer to a form.
 */
export const notice = (text: HtmlPiece, isUrgent = false): Html =>
  html`<p class="alert" ${isUrgent && html`role="alert"`}>${text}</p>`;
