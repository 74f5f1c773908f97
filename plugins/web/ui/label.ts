// Labels with their colours, and other small marks of issues and merge requests.
import { html, type Html } from 'hexforge/plugin';

/** @param colour six hexadecimal digits, with or without `#`; another text is grey. */
export function label(name: string, colour: string, description = ''): Html {
  const digits = /^#?([0-9a-f]{6})$/i.exec(colour)?.[1] ?? '888888';
  return html`<span class="label" ${description !== '' && html`title="${description}"`}
    ><svg viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="#${digits}" /></svg
    ><bdi>${name}</bdi></span
  >`;
}

/** @param done of `total`; the text beside it says the same. */
export const progress = (done: number, total: number, text: string): Html =>
  html`<span class="progress">
    <progress value="${String(done)}" max="${String(Math.max(total, 1))}" aria-label="${text}"></progress>
    <span class="quiet">${text}</span>
  </span>`;
