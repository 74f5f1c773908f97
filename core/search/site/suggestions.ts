// Suggestions while somebody types into the search box: repositories, definitions and files.
import type { Call, User } from '#core/kernel/caller';
import type { Repositories } from '#core/repositories/index';
import { parseSearchText } from '../query/search-text.ts';
import type { SearchSections } from './search-sections.ts';
import type { SiteSearch } from './site-search.ts';

/** One suggestion. */
export interface Suggestion {
  readonly type: 'repository' | 'symbol' | 'file';
  readonly text: string;
  readonly owner: string;
  readonly name: string;
  /** The branch, path and line of a symbol or file. */
  readonly place: { readonly branch: string; readonly path: string; readonly line: number | undefined } | undefined;
}

export interface SuggestionParts {
  readonly site: Pick<SiteSearch, 'answered' | 'visibleTo'>;
  readonly searches: SearchSections;
  readonly repositories: Pick<Repositories, 'matching'>;
}

export const suggestions =
  ({ site, searches, repositories }: SuggestionParts) =>
  /** @throws {ValidationFailed | InsufficientScope | Internal} as the search. */
  async (
    call: Call<User>,
    { q, limit }: { readonly q: string; readonly limit: number },
  ): Promise<{ readonly suggestions: readonly Suggestion[]; readonly degraded: boolean }> => {
    const text = parseSearchText(q);
    if (!site.visibleTo(call.caller).has('code')) return { suggestions: [], degraded: false };
    const named = await repositories.matching(call.caller, text.terms, limit);
    const { answer, degraded } = await site.answered(call, [], async (given): Promise<readonly Suggestion[]> => {
      const search = { ...given, text, limit };
      const [symbols, files] = await Promise.all([searches.symbols(search), searches.code(search)]);
      return [
        ...symbols.hits.map(({ repository, name, path, line }) => ({
          type: 'symbol' as const,
          text: name,
          ...ownerOf(repository),
          place: { branch: repository.defaultBranch, path, line },
        })),
        ...files.hits.map(({ repository, path, line, snippet }) => ({
          type: 'file' as const,
          text: path,
          ...ownerOf(repository),
          place: { branch: repository.defaultBranch, path, line: snippet === '' ? undefined : line },
        })),
      ];
    });
    const all: readonly Suggestion[] = [
      ...named.map((repository) => ({
        type: 'repository' as const,
        text: `${repository.owner}/${repository.name}`,
        ...ownerOf(repository),
        place: undefined,
      })),
      ...answer,
    ];
    return { suggestions: all.slice(0, limit), degraded };
  };

const ownerOf = ({ owner, name }: { readonly owner: string; readonly name: string }) => ({ owner, name });
