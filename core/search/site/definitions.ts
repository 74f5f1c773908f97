// Finds the definitions of a name that stands in a file, those of the same repository first.
import type { Call } from '#core/kernel/caller';
import { languageOf, nameKey, type Repository } from '#core/repositories/index';
import { mostHits } from '../model/backend.ts';
import { folded } from '../query/folded.ts';
import { searchBounds } from '../query/search-text.ts';
import type { DefinitionHit } from './hits.ts';
import type { SearchSections } from './search-sections.ts';
import type { SiteSearch } from './site-search.ts';

/** The definitions of a name. */
export interface Definitions {
  /** In the repository, the best first. */
  readonly here: readonly DefinitionHit[];
  /** In other repositories that the caller may read. Not searched for if there is a `best` one. */
  readonly elsewhere: readonly DefinitionHit[];
  /** The definition in the repository, if it is clear which one is meant. */
  readonly best: DefinitionHit | undefined;
  /** Whether the back end was missing or failed. */
  readonly degraded: boolean;
}

/** Languages whose files use each other's definitions; any other is its own family. */
const families: Readonly<Record<string, string>> = {
  javascript: 'web',
  jsx: 'web',
  tsx: 'web',
  typescript: 'web',
  c: 'c',
  cpp: 'c',
  java: 'jvm',
  kotlin: 'jvm',
};
const familyOf = (language: string): string =>
  Object.hasOwn(families, language) ? (families[language] ?? language) : language;

/** Definitions of exactly this name; without any, those that differ in case. */
function ofName(name: string, hits: readonly DefinitionHit[]): readonly DefinitionHit[] {
  const exact = hits.filter((hit) => hit.name === name);
  return exact.length > 0 ? exact : hits.filter((hit) => folded(hit.name) === folded(name));
}

export const definitions =
  ({ site, searches }: { readonly site: Pick<SiteSearch, 'answered'>; readonly searches: SearchSections }) =>
  /** @param from the path of the file with the name; undefined if it is unknown. */
  async (
    call: Call,
    {
      name: given,
      repository,
      from,
    }: { readonly name: string; readonly repository: Repository; readonly from: string | undefined },
  ): Promise<Definitions> => {
    const name = given.trim().slice(0, searchBounds.term);
    const nothing = { here: [], elsewhere: [], best: undefined };
    const { answer, degraded } = await site.answered(call, nothing, async (given) => {
      const found = async (repositories: readonly string[]): Promise<readonly DefinitionHit[]> => {
        const text = { terms: [name], languages: [], patterns: [], paths: [], repositories };
        const { hits } = await searches.symbols({ ...given, text, limit: mostHits });
        return ofName(name, hits);
      };
      const all = await found([nameKey(`${repository.owner}/${repository.name}`)]);
      // From near to far: the file itself, files of related languages, others.
      const distance = ({ path, language }: DefinitionHit): number =>
        from === undefined ? 2 : path === from ? 0 : familyOf(language) === familyOf(languageOf(from)) ? 1 : 2;
      const here = all.toSorted((one, other) => distance(one) - distance(other));
      const [first, second] = here;
      const isClear = first !== undefined && (second === undefined || distance(first) < distance(second));
      const best = isClear ? first : undefined;
      if (best !== undefined) return { here, elsewhere: [], best };
      const others = (await found([])).filter((hit) => hit.repository.id !== repository.id);
      return { here, elsewhere: others, best: undefined };
    });
    return { ...answer, degraded };
  };
