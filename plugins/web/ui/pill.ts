// Pills: the state of something in one word.
import { html, type Html } from 'hexforge/plugin';

/** The tone says the same as the text, for those who see colours. */
export type Tone = 'neutral' | 'good' | 'bad' | 'warning' | 'merged' | 'accent';

/** The state of something in one word. */
export const pill = (text: string, tone: Tone = 'neutral'): Html => html`<span class="pill ${tone}">${text}</span>`;

const states = { open: 'Open', closed: 'Closed', merged: 'Merged' } as const;

/** The state of an issue, a merge request or a milestone. @param closed the tone of `closed`. */
export const statePill = (state: keyof typeof states, closed: Tone = 'merged'): Html =>
  pill(states[state], state === 'open' ? 'good' : state === 'merged' ? 'merged' : closed);
