// HTML of the renderer, which must be inserted unescaped.
import { html, type Html } from 'hexforge/plugin';

/** Must only be called with the renderer's result, which is sanitised. */
export const sanitisedHtml = (text: string): Html => html([text] as unknown as TemplateStringsArray);
