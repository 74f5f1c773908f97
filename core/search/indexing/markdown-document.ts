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
const marks = /[`*_#>|~]+|!?\[|\]\([^)\n]{0,100}\)|<[^>\n]{0,100}>/g;

/** @returns without text: undefined. */
export function markdownDocument(path: string, given: string, updatedAt: Date): SectionDocument | undefined {
  const text = given.slice(0, longest.text).replaceAll('\r\n', '\n').replace(frontMatter, '');
  const title = (heading.exec(text) ?? underlined.exec(text))?.[1] ?? stemOf(path);
  const plain = text.replaceAll(marks, ' ').replaceAll(/\s+/g, ' ').trim();
  if (plain === '') return undefined;
  const shown = title.replaceAll(marks, ' ').replaceAll(/\s+/g, ' ').trim();
  return {
    key: path,
    title: beginning(shown, longest.title),
    text: plain,
    updatedAt,
    source: { path, title: beginning(shown, longest.title), snippet: beginning(plain, longest.snippet) },
  };
}
