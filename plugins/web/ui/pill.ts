// Pills: the state of something in one word.
import { html, type Html } from 'hexforge/plugin';

/** The tone says the same as the text, for those who see colours. */
export type Tone = 'neutral' | 'good' | 'bad' | 'warning' | 'merged' | 'accent';

/** The state of something in one word. */
export const pill = (text: string, tone: Tone = 'neutral'): Html => html`<span class="pill ${tone}">${text}</span>`;
