// Texts of files as HTML, by the optional port Markup.
import {
  html,
  type Call,
  type Granted,
  type Html,
  type MarkdownContext,
  type Markup,
  type MarkupRepository,
} from 'hexforge/plugin';
import type { FileBlob, Repository } from 'hexforge/repositories';
import { most } from './bounds.ts';

/** The provider of Markup, if there is one. It starts after this plugin. */
export type Texts = () => Markup | undefined;

type Readable = Granted<Repository, 'repo.read'>;

const utf8 = new TextDecoder('utf-8');

/** The text of a file; undefined if it is binary or too large to be shown. */
export const shownText = ({ content, isBinary }: FileBlob): string | undefined =>
  content === undefined || isBinary || content.byteLength > most.bytes ? undefined : utf8.decode(content);

/** The lines of a text with highlighted syntax. The last newline begins no line. */
export async function codeLines(texts: Texts, text: string, language: string, oid?: string): Promise<readonly Html[]> {
  const lines = (await texts()?.code(text, language, oid)) ?? text.split('\n').map((line) => html`${line}`);
  return text.endsWith('\n') ? lines.slice(0, -1) : lines;
}

export const isMarkdown = (path: string): boolean => /\.(?:md|markdown|mdown)$/i.test(path);

export const markupRepository = (granted: Readable): MarkupRepository => {
  const { id, owner, name } = granted.resource;
  return { id, owner, name, may: (permission) => granted.may(permission) };
};

/** A rendered Markdown file. */
export async function markdownFile(
  texts: Texts,
  text: string,
  { granted, call, ref, path }: { granted: Readable; call: Call; ref: string; path: string },
): Promise<Html> {
  const context: MarkdownContext = {
    call,
    repository: markupRepository(granted),
    ref,
    folder: path.split('/').slice(0, -1).join('/'),
  };
  const [rendered] = (await texts()?.markdown([text], context)) ?? [];
  return rendered ?? html`<pre class="text">${text}</pre>`;
}
