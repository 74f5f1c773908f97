// Links what texts refer to: all references of a page are looked up at once, one query for each kind.
import {
  html,
  within,
  type FoundReference,
  type Html,
  type HtmlPiece,
  type Log,
  type MarkdownContext,
  type ReferenceFinder,
  type ReferencePlace,
} from 'hexforge/plugin';
import type { Reference, RenderedMarkdown } from '#adapters/markup/index';
import { sanitisedHtml } from './sanitised.ts';

type Sign = ReferenceFinder['sign'];
type Found = ReadonlyMap<string, FoundReference>;

export type FindReferences = (sign: Sign, references: readonly string[], place: ReferencePlace) => Promise<Found>;

/** References of a kind on one page. Further ones stay text. */
export const mostReferences = 200;

/** Asks the finders of a sign. The first that finds a thing wins; one that fails or is late finds nothing. */
export const finding =
  (finders: () => readonly ReferenceFinder[], log: Log): FindReferences =>
  async (sign, references, place) => {
    const found = await Promise.all(
      finders()
        .filter((finder) => finder.sign === sign)
        .map((finder) =>
          within(undefined, () => finder.find(references, place)).catch((error: unknown) => {
            log.warn({ err: error, sign }, 'references could not be looked up');
            return undefined;
          }),
        ),
    );
    return new Map(found.reverse().flatMap((one) => [...(one ?? [])]));
  };

/** The texts with links. Undefined texts, which could not be rendered, stay undefined. */
export async function linkedReferences(
  texts: readonly (RenderedMarkdown | undefined)[],
  { call, repository }: MarkdownContext,
  find: FindReferences,
): Promise<readonly (Html | undefined)[]> {
  const references = texts.flatMap((text) => text?.references ?? []);
  const found = await lookedUp(references, { call, repository }, find);
  return texts.map((text) => text && html`<div class="markdown">${pieces(text, found)}</div>`);
}

/** The things by their sign, with one query for each kind. */
export async function lookedUp(
  references: readonly Reference[],
  place: ReferencePlace,
  find: FindReferences,
): Promise<ReadonlyMap<Sign, Found>> {
  const wanted = new Map<Sign, Set<string>>();
  for (const { sign, value } of references) {
    const values = wanted.get(sign) ?? new Set();
    wanted.set(sign, values);
    if (values.size < mostReferences) values.add(value);
  }
  return new Map(
    await Promise.all([...wanted].map(async ([sign, values]) => [sign, await find(sign, [...values], place)] as const)),
  );
}

const pieces = ({ segments, references }: RenderedMarkdown, found: ReadonlyMap<Sign, Found>): readonly HtmlPiece[] =>
  segments.flatMap((segment, index) => {
    const reference = references[index];
    return [sanitisedHtml(segment), reference !== undefined && referenceLink(reference, found)];
  });

/** A link to the thing; the text itself if the caller may not see such a thing. */
export function referenceLink({ sign, value }: Reference, found: ReadonlyMap<Sign, Found>): Html | string {
  const text = `${sign}${value}`;
  const thing = found.get(sign)?.get(value);
  return thing === undefined
    ? text
    : html`<a class="reference" href="${thing.path}" title="${thing.title}">${text}</a>`;
}
