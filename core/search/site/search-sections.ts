// Searches one section: the query of the back end, and the hits with their repositories and lines.
import type { Call } from '#core/kernel/caller';
import { nameKey, type GitBackend, type Repositories, type Repository } from '#core/repositories/index';
import type { FileHit, SearchBackend, Within } from '../model/backend.ts';
import type { SymbolKind } from '../model/symbol.ts';
import { bestLine } from '../query/best-line.ts';
import { documentWords, fileTerms, symbolName, type SearchText } from '../query/search-text.ts';
import { noHits, type CodeHit, type DefinitionHit, type FoundDocument, type SectionHits } from './hits.ts';
import type { Visibility } from './visibility.ts';

export interface SectionParts {
  readonly repositories: Pick<Repositories, 'named' | 'readable'>;
  readonly git: Pick<GitBackend, 'blob'>;
}

/** One search of one section. */
export interface SectionSearch {
  readonly call: Call;
  readonly backend: SearchBackend;
  readonly visibility: Visibility;
  readonly text: SearchText;
  /** 0: matches are only counted. */
  readonly limit: number;
}

/** A hit whose repository the caller may not read: the filter of the back end is broken. */
export class FilterFailed extends Error {}

/** Files of which lines are read, to order the best by them. */
const lined = 50;
/** Files whose lines are read at the same time. */
const readAtOnce = 8;

export function searchSections({ repositories, git }: SectionParts) {
  const within = async ({ call, visibility, text, limit }: SectionSearch, most = limit): Promise<Within> => ({
    readable: visibility.readable,
    repositoryIds:
      text.repositories.length === 0
        ? undefined
        : [...(await repositories.named(text.repositories)).values()].map(({ id }) => id),
    limit: Math.max(most, 1),
    signal: call.signal,
  });

  /** Joins hits with the records of their repositories. @throws {FilterFailed} */
  async function located<H extends { readonly repositoryId: string }>(
    call: Call,
    hits: readonly H[],
  ): Promise<readonly (Omit<H, 'repositoryId'> & { readonly repository: Repository })[]> {
    const found = await repositories.readable(call.caller, [...new Set(hits.map(({ repositoryId }) => repositoryId))]);
    return hits.map(({ repositoryId, ...hit }) => {
      const repository = found.get(repositoryId);
      if (repository === undefined) throw new FilterFailed(`a hit is in the unreadable repository ${repositoryId}`);
      return { ...hit, repository };
    });
  }

  /** The best line of a file. A file that is gone meanwhile is shown by its path. */
  async function lineOf({ repositoryId, oid, definedAt }: FileHit, terms: readonly string[], signal: AbortSignal) {
    try {
      const { bytes } = await git.blob(repositoryId, oid, signal);
      const text = new TextDecoder();
      let whole = '';
      for await (const chunk of bytes) whole += text.decode(chunk, { stream: true });
      return bestLine(whole, terms, definedAt);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  return {
    async code(search: SectionSearch): Promise<SectionHits<CodeHit>> {
      const { backend, call, text, limit } = search;
      const { terms, short } = fileTerms(text);
      if (terms.length === 0) return noHits;
      const { languages, paths } = text;
      const asked = await within(search, limit === 0 ? 0 : Math.max(limit, lined));
      const { total, hits } = await backend.files({ ...asked, terms, short, languages, paths });
      if (limit === 0) return { total, hits: [] };
      const best: (FileHit & Omit<CodeHit, 'repository'>)[] = [];
      for (let at = 0; at < hits.length; at += readAtOnce) {
        const some = hits.slice(at, at + readAtOnce);
        const lines = await Promise.all(
          some.map((hit) => (at < Math.max(limit, lined) ? lineOf(hit, [...terms, ...short], call.signal) : undefined)),
        );
        for (const [place, hit] of some.entries()) {
          const line = lines[place];
          best.push({
            ...hit,
            line: line?.line ?? 1,
            firstLine: line?.firstLine ?? 1,
            snippet: line?.snippet ?? '',
            // A line weighs less than a definition or a file name, and more than the path.
            score: hit.score + (line?.quality ?? 0) * 20,
          });
        }
      }
      const shown = best.toSorted((one, other) => other.score - one.score).slice(0, limit);
      return { total, hits: (await located(call, shown)).map(({ oid: _, definedAt: _line, ...hit }) => hit) };
    },

    async symbols(search: SectionSearch, kinds: readonly SymbolKind[] = []): Promise<SectionHits<DefinitionHit>> {
      const { backend, call, text } = search;
      const name = symbolName(text);
      if (name === undefined) return noHits;
      const { languages, paths } = text;
      const { total, hits } = await backend.symbols({ ...(await within(search)), name, kinds, languages, paths });
      return { total, hits: await located(call, hits.slice(0, search.limit)) };
    },

    /** @param among the only repositories that are searched, as `owner/name`. Absent: all. */
    async documents(
      search: SectionSearch,
      section: string,
      sort: 'relevance' | 'recent',
      among?: readonly string[],
    ): Promise<SectionHits<FoundDocument>> {
      const { backend, call, text } = search;
      const words = documentWords(text);
      if (words.length === 0) return noHits;
      const asked = await within(search);
      const named = among && new Set([...(await repositories.named(among)).values()].map(({ id }) => id));
      const repositoryIds =
        named === undefined
          ? asked.repositoryIds
          : [...named].filter((id) => asked.repositoryIds?.includes(id) ?? true);
      if (repositoryIds?.length === 0) return noHits;
      const { total, hits } = await backend.documents({ ...asked, repositoryIds, section, words, sort });
      return { total, hits: await located(call, hits.slice(0, search.limit)) };
    },
  };
}

export type SearchSections = ReturnType<typeof searchSections>;

/** A comma-separated list of `owner/name`. */
export const repositoryPaths = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/[\s,]+/)
      .filter((path) => path.includes('/'))
      .map(nameKey),
  ),
];
