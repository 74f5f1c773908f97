// Texts without formatting.
import { html, type Markup } from 'hexforge/plugin';

export const plainMarkup = {
  markdown: async (texts) => texts.map((text) => html`<pre class="text">${text}</pre>`),
  code: async (text) => text.split('\n').map((line) => html`${line}`),
} satisfies Markup;
