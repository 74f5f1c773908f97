// Icons of 16 × 16, drawn with the colour of the text.
import { html, type Html } from 'hexforge/plugin';

const drawings = {
  folder: html`<path d="M1.5 3.5h4l1.5 2h7.5v8h-13z" fill="currentColor" stroke="none" />`,
  file: html`<path d="M3.5 1.5h6l3 3v10h-9z" /><path d="M9.5 1.5v3h3" />`,
  link: html`<path d="M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5L7.5 13A3 3 0 0 1 3 8.5L4.5 7" />`,
  submodule: html`<path d="M1.5 4.5h13v9h-13zM1.5 4.5l2-2h4l1 2M8 7v4M6 9h4" />`,
  branch: html`<circle cx="4" cy="3.5" r="1.5" /><circle cx="4" cy="12.5" r="1.5" /><circle
      cx="12"
      cy="5.5"
      r="1.5"
    /><path d="M4 5v6M12 7c0 2.5-3 3-8 3" />`,
  comment: html`<path d="M2 3h12v8H8l-3 3v-3H2z" />`,
  lock: html`<path d="M4 7h8v6.5H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2" />`,
  search: html`<circle cx="7" cy="7" r="4.500" /><path d="M10.500 10.500l4 4" />`,
  fork: html`<circle cx="4" cy="3" r="1.5" /><circle cx="12" cy="3" r="1.5" /><circle cx="8" cy="13" r="1.5" /><path
      d="M4 4.5C4 8 8 7 8 11.500M12 4.500C12 8 8 7 8 11.500"
    />`,
} as const;

/** The names of the icons. */
export type IconName = keyof typeof drawings;

/** Decoration, unless it has a name. */
export const icon = (name: IconName, title?: string): Html =>
  html`<svg class="icon" viewBox="0 0 16 16" ${title === undefined ? html`aria-hidden="true"` : html`role="img"`}>
    ${title !== undefined && html`<title>${title}</title>`}${drawings[name]}
  </svg>`;
