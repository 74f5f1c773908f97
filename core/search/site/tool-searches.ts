// The searches of one section for assistants, whose access the endpoint has decided.
import type { Call } from '#core/kernel/caller';
import type { SymbolKind } from '../model/symbol.ts';
import { parseSearchText } from '../query/search-text.ts';
import { noHits, type CodeHit, type DefinitionHit, type SectionHits } from './hits.ts';
import type { SearchSections } from './search-sections.ts';
import type { SiteSearch } from './site-search.ts';

/** The hits, and whether the back end was missing or failed. */
export interface Searched<H> {
  readonly hits: SectionHits<H>;
  readonly degraded: boolean;
}

export const toolSearches = ({
  site,
  searches,
}: {
  readonly site: Pick<SiteSearch, 'answered'>;
  readonly searches: SearchSections;
}) => ({
  /** @throws {ValidationFailed} for an empty or too long text; {Internal} if the visible repositories are unknown. */
  async findCode(call: Call, q: string, limit: number): Promise<Searched<CodeHit>> {
    const text = parseSearchText(q);
    const { answer, degraded } = await site.answered<SectionHits<CodeHit>>(call, noHits, (given) =>
      searches.code({ ...given, text, limit }),
    );
    return { hits: answer, degraded };
  },

  /** @param kind undefined for all. @throws as `findCode`. */
  async findSymbols(
    call: Call,
    name: string,
    kind: SymbolKind | undefined,
    limit: number,
  ): Promise<Searched<DefinitionHit>> {
    const text = { ...parseSearchText(name), terms: [name.trim()] };
    const kinds = kind === undefined ? [] : [kind];
    const { answer, degraded } = await site.answered<SectionHits<DefinitionHit>>(call, noHits, (given) =>
      searches.symbols({ ...given, text, limit }, kinds),
    );
    return { hits: answer, degraded };
  },
});
