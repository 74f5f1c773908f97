// Plain texts with their references as links.
import { html, type Html, type PlainText, type ReferencePlace } from 'hexforge/plugin';
import { cutAtReferences } from '#adapters/markup/index';
import { lookedUp, mostReferences, referenceLink, type FindReferences } from './references.ts';

/** UTF-16 code units of all texts of a page that are searched. */
const longest = 512 * 1024;

/** Each text is a line of links, none within another: other parts lead to the `href` of the text. */
export async function linkedTexts(
  texts: readonly PlainText[],
  place: ReferencePlace,
  find: FindReferences,
): Promise<readonly Html[]> {
  let room = longest;
  const cut = texts.map(({ text }) => {
    room -= text.length;
    return room < 0
      ? { texts: [text], references: [] }
      : cutAtReferences(text, mostReferences, place.repository !== undefined);
  });
  const found = await lookedUp(
    cut.flatMap(({ references }) => references),
    place,
    find,
  );
  return cut.map(({ texts: segments, references }, index) => {
    const href = texts[index]?.href;
    const pieces: Html[] = [];
    let plain = '';
    const end = (): void => {
      // A link of spaces has no name for screen readers.
      const isLink = href !== undefined && plain.trim() !== '';
      if (plain !== '') pieces.push(isLink ? html`<a href="${href}">${plain}</a>` : html`${plain}`);
      plain = '';
    };
    for (const [at, segment] of segments.entries()) {
      plain += segment;
      const reference = references[at];
      if (reference === undefined) continue;
      const link = referenceLink(reference, found);
      if (typeof link === 'string') plain += link;
      else {
        end();
        pieces.push(link);
      }
    }
    end();
    return html`${pieces}`;
  });
}
