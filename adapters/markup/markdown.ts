// Renders Markdown: CommonMark and GFM with footnotes, alerts, task lists and highlighted code.
import MarkdownIt, { type StateCore, type Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { escaped } from './escaped.ts';
import { highlighted, loaded } from './highlight.ts';
import { sanitised } from './sanitise.ts';
import type { MarkdownPlace, RenderedMarkdown } from './tasks.ts';

/** References repeat the URL and the title of their definition, so a short text can make a long result. */
const longestResult = 4 * 1024 * 1024;
/** The most languages in one text. */
const mostLanguages = 8;

const markdown = new MarkdownIt({ html: true, linkify: true }).use(footnotes);
// GFM links only texts with a scheme and email addresses, not every name of a host.
markdown.linkify.set({ fuzzyLink: false, fuzzyIP: false });
// Links are judged when the result is sanitised.
markdown.validateLink = () => true;
markdown.core.ruler.before('inline', 'alerts', alerts);
markdown.core.ruler.push('tasks', tasks);
markdown.core.ruler.push('headings', headings);
markdown.core.ruler.push('columns', columns);
markdown.renderer.rules['footnote_block_open'] = () => '<section class="footnotes">\n<ol>\n';
markdown.renderer.rules['footnote_caption'] = (tokens, index) => String(Number(tokens[index]?.meta?.['id']) + 1);
markdown.renderer.rules['fence'] = (tokens, index) => {
  const { content = '', info = '' } = tokens[index] ?? {};
  const lines = highlighted(content, languageIn(info))?.join('\n') ?? escaped(content);
  return `<pre><code>${lines}</code></pre>\n`;
};

const languageIn = (info: string): string => /^\s*([^\s{,]*)/.exec(info)?.[1] ?? '';

/** @throws {Error} if the result would be too large. */
export async function renderedMarkdown(text: string, place: MarkdownPlace): Promise<RenderedMarkdown> {
  markdown.set({ breaks: place.breaks });
  const env = { anchors: place.file };
  const tokens = markdown.parse(place.file ? withoutFrontMatter(text) : text, env);
  if (sizeOf(tokens) > longestResult) throw new Error('The result is too large');
  const languages = tokens.filter(({ type }) => type === 'fence').map(({ info }) => languageIn(info));
  await Promise.all([...new Set(languages)].slice(0, mostLanguages).map(loaded));
  return sanitised(markdown.renderer.render(tokens, markdown.options, env), place);
}

/** The metadata at the beginning of a file, between two lines of `---`. */
const withoutFrontMatter = (text: string): string =>
  text.replace(/^---[ \t]*\r?\n(?:[^]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, '');

const sizeOf = (tokens: readonly Token[]): number =>
  tokens.reduce(
    (sum, { content, attrs, children }) =>
      sum +
      content.length +
      (attrs ?? []).reduce((length, [, value]) => length + String(value).length, 0) +
      (children === null ? 0 : sizeOf(children)),
    0,
  );

const alert = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i;

/** A quotation that begins with a line such as `[!NOTE]`. */
function alerts({ tokens, Token }: StateCore): void {
  for (let at = tokens.length - 3; at >= 0; at -= 1) {
    const [quote, paragraph, inline] = tokens.slice(at, at + 3);
    if (quote?.type !== 'blockquote_open' || paragraph?.type !== 'paragraph_open' || inline === undefined) continue;
    const [line, kind = ''] = alert.exec(inline.content) ?? [];
    if (line === undefined) continue;
    quote.attrSet('class', `callout ${kind.toLowerCase()}`);
    const title = new Token('html_block', '', 0);
    title.content = `<p class="callout-title">${kind[0]?.toUpperCase() ?? ''}${kind.slice(1).toLowerCase()}</p>\n`;
    const rest = inline.content.slice(line.length);
    if (rest === '') tokens.splice(at + 1, 3, title);
    else {
      inline.content = rest;
      tokens.splice(at + 1, 0, title);
    }
  }
}

/** Items of lists that begin with `[ ]` or `[x]`. */
function tasks({ tokens, Token }: StateCore): void {
  for (const [at, inline] of tokens.entries()) {
    const first = inline.type === 'inline' ? inline.children?.[0] : undefined;
    const item = tokens[at - 2];
    if (first?.type !== 'text' || item?.type !== 'list_item_open' || tokens[at - 1]?.type !== 'paragraph_open')
      continue;
    const mark = /^\[([ xX])\]\s/.exec(first.content);
    if (mark === null) continue;
    item.attrJoin('class', 'task');
    first.content = first.content.slice(mark[0].length);
    const box = new Token('html_inline', '', 0);
    box.content = `<input type="checkbox"${mark[1] === ' ' ? '' : ' checked'}> `;
    inline.children?.unshift(box);
  }
}

/** Ids of headings as on GitHub, and a link to each. */
function headings({ tokens, env, Token }: StateCore): void {
  if (env['anchors'] !== true) return;
  const known = new Map<string, number>();
  for (const [at, heading] of tokens.entries()) {
    const inline = tokens[at + 1];
    if (heading.type !== 'heading_open' || inline?.type !== 'inline') continue;
    const text = (inline.children ?? []).map(({ type, content }) =>
      /^(?:text|code_inline)$/.test(type) ? content : '',
    );
    const slug = slugOf(text.join(''));
    if (slug === '') continue;
    const before = known.get(slug) ?? 0;
    known.set(slug, before + 1);
    const id = before === 0 ? slug : `${slug}-${String(before)}`;
    heading.attrSet('id', id);
    const anchor = new Token('html_inline', '', 0);
    anchor.content = `<a class="anchor" href="#${encodeURIComponent(id)}">#</a>`;
    inline.children?.push(anchor);
  }
}

const longestSlug = 100;
const slugOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
    .slice(0, longestSlug);

/** The alignment of the columns of tables, without a style. */
function columns({ tokens }: StateCore): void {
  for (const token of tokens) {
    if (!/^t[hd]_open$/.test(token.type)) continue;
    const side = /text-align:(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1];
    token.attrs = side === undefined ? null : [['align', side]];
  }
}
