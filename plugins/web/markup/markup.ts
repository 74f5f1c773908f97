// Renders texts of users: sanitised Markdown with linked references, and code with highlighted syntax.
import { html, type Html, type MarkdownContext, type Markup } from 'hexforge/plugin';
import { repositoryPath } from 'hexforge/repositories';
import type { MarkdownPlace, Renderer } from '#adapters/markup/index';
import { inTurns } from '../ui/in-turns.ts';
import { linkedTexts } from './linked.ts';
import { linkedReferences, type FindReferences } from './references.ts';
import { sanitisedHtml } from './sanitised.ts';

interface Parts {
  readonly renderer: Pick<Renderer, 'markdown' | 'code'>;
  readonly find: FindReferences;
  /** Of this instance. */
  readonly origin: string;
  readonly now: () => number;
}

/** UTF-16 code units of all texts of a page. Further texts are plain. */
const mostOfPage = 1024 * 1024;
/** Milliseconds for all texts of a page. Further texts are plain. */
const pageTime = 4000;

export const markup = ({ renderer, find, origin, now }: Parts): Markup => ({
  async markdown(texts, context) {
    const until = now() + pageTime;
    let room = mostOfPage;
    const rendered = [];
    // One after another, so that a page with many texts does not fill the queue.
    for (const [index, text] of texts.entries()) {
      room -= text.length;
      rendered.push(
        room < 0 || now() > until ? undefined : await renderer.markdown(text, placeOf(context, index, origin)),
      );
    }
    const linked = await linkedReferences(rendered, context, find);
    return inTurns(texts, (text, index) => linked[index] ?? plain(text));
  },
  async code(text, language, oid) {
    const lines = language === '' ? undefined : await renderer.code(text, language, oid);
    return lines === undefined ? plainLines(text) : sanitisedLines(lines);
  },
  linked: (texts, place) => linkedTexts(texts, place, find),
});

/** Lines that are kept by the renderer are converted once, so that they are the same list for every page. */
const converted = new WeakMap<readonly string[], readonly Html[]>();

function sanitisedLines(lines: readonly string[]): readonly Html[] {
  const known = converted.get(lines) ?? lines.map(sanitisedHtml);
  converted.set(lines, known);
  return known;
}

/** Ids of different texts on a page differ. */
const placeOf = (context: MarkdownContext, index: number, origin: string): MarkdownPlace => ({
  breaks: context.breaks === true,
  file: context.ref !== undefined,
  ids: index === 0 ? 'user-content-' : `user-content-${String(index)}-`,
  origin,
  ...(context.repository !== undefined && {
    repository: {
      path: repositoryPath(context.repository),
      ref: context.ref ?? 'HEAD',
      folder: context.folder ?? '',
    },
  }),
});

const plain = (text: string): Html => html`<pre class="text">${text.replaceAll('\r\n', '\n')}</pre>`;

const plainLines = (text: string): Promise<readonly Html[]> =>
  inTurns(text.split('\n'), (line) => html`${line.endsWith('\r') ? line.slice(0, -1) : line}`);
