// Buttons, and links that look like buttons.
import { html, type Html } from 'hexforge/plugin';

/** A page has at most one primary button. */
type Kind = 'primary' | 'danger' | 'plain';

interface Look {
  readonly kind?: Kind;
  /** The key that does the same, shown beside the label. */
  readonly key?: string;
}

const classOf = ({ kind = 'plain' }: Look): string => (kind === 'plain' ? 'button' : `button ${kind}`);
const keyOf = ({ key }: Look): Html | false => key !== undefined && html` <kbd aria-hidden="true">${key}</kbd>`;
const pressedBy = ({ key }: Look): Html | false =>
  key !== undefined && html`data-key="${key}" aria-keyshortcuts="${key}"`;

/** A button that submits its form. */
export const button = (
  label: string,
  { name, value, ...look }: Look & { readonly name?: string; readonly value?: string } = {},
): Html =>
  html`<button
    class="${classOf(look)}"
    ${pressedBy(look)}
    ${name !== undefined && html`name="${name}" value="${value ?? ''}"`}
  >
    ${label}${keyOf(look)}
  </button>`;

/** A link that looks like a button. */
export const linkButton = (label: string, href: string, look: Look = {}): Html =>
  html`<a class="${classOf(look)}" href="${href}" ${pressedBy(look)}>${label}${keyOf(look)}</a>`;

/** In place of a form, for signed-out readers: leads to the sign-in page and back. */
export const signInButton = (label: string, url: string): Html =>
  html`<p><a class="button" href="/-/sign-in?return_to=${encodeURIComponent(url)}">${label}</a></p>`;
