// A Markdown file as a document of the section `docs`.
import { beginning } from '#core/kernel/clipping';
import type { SectionDocument } from '../model/documents.ts';
import { stemOf } from '../query/path-weight.ts';

/** The section of Markdown files. */
export const docsSection = 'docs';

/** Characters: of a title, the searched text, the snippet. */
const longest = { title: 200, text: 64 * 1024, snippet: 200 } as const;

const heading = /^ {0,3}#{1,6}[ \t]+(\S.*)$/m;
const underlined = /^(\S.*)\n={3,}[ \t]*$/m;
/** Metadata before the text, between lines of three dashes. */
const frontMatter = /^---\n(?:.*\n)*?---\n/;
/** Marks of Markdown, which a reader does not see. */
const marks = new Set('`*_#>|~[]');
/** Characters of a link's target or of an HTML tag. */
const longestTag = 100;

/** The place of the end of a link's target or of a tag that begins here; undefined if nothing like it does. */
function tagEnd(text: string, at: number): number | undefined {
  const [open, close] = text[at] === '<' ? ['<', '>'] : ['](', ')'];
  if (!text.startsWith(open, at)) return undefined;
  const end = text.slice(at, at + longestTag).indexOf(close);
  return end < 0 ? undefined : at + end;
}

/** The text as a reader sees it, on one line. */
function readable(text: string): string {
  let plain = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    const end = char === '<' || char === ']' ? tagEnd(text, at) : undefined;
    at = end ?? at;
    plain += end !== undefined || marks.has(char) ? ' ' : char;
  }
  return plain.replaceAll(/\s+/g, ' ').trim();
}

/** @returns without text: undefined. */
export function markdownDocument(path: string, given: string, updatedAt: Date): SectionDocument | undefined {
  const text = given.slice(0, longest.text).replaceAll('\r\n', '\n').replace(frontMatter, '');
  const title = (heading.exec(text) ?? underlined.exec(text))?.[1] ?? stemOf(path);
  const plain = readable(text);
  if (plain === '') return undefined;
  const shown = readable(title);
  return {
    key: path,
    title: beginning(shown, longest.title),
    text: plain,
    updatedAt,
    source: { path, title: beginning(shown, longest.title), snippet: beginning(plain, longest.snippet) },
  };
}
