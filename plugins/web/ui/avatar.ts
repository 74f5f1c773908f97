// The picture of a person: the first letter of the username on a colour that follows from it.
import { html, type Html } from 'hexforge/plugin';

/** Colours in the style sheet. */
const colours = 12;

/** Hidden from screen readers, because the name follows it. */
export function avatar(username: string, size: 'small' | 'large' = 'small'): Html {
  let sum = 0;
  for (const character of username) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return html`<span class="avatar ${size} c${String(sum % colours)}" aria-hidden="true"
    >${username.slice(0, 1).toUpperCase()}</span
  >`;
}

/** A person with picture and a link to the page of the person. */
export const person = (username: string): Html =>
  html`<a class="person" href="/${encodeURIComponent(username)}">${avatar(username)} <bdi>${username}</bdi></a>`;
