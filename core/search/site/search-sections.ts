// Searches one section: the query of the back end, and the hits with their repositories and lines.
import type { Call } from '#core/kernel/caller';
import { nameKey, type GitBackend, type Repositories, type Repository } from '#core/repositories/index';
import type { FileHit, SearchBackend, Within } from '../model/backend.ts';
import type { SymbolKind } from '../model/symbol.ts';
import { bestLine, type BestLine } from '../query/best-line.ts';
import { searchPattern, type CompilePattern, type SearchPattern } from '../query/pattern.ts';
import { documentWords, fileTerms, symbolName, type SearchText } from '../query/search-text.ts';
import { noHits, type CodeHit, type DefinitionHit, type FoundDocument, type SectionHits } from './hits.ts';
import type { Visibility } from './visibility.ts';

export interface SectionParts {
  readonly repositories: Pick<Repositories, 'lacking' | 'named'>;
  readonly git: Pick<GitBackend, 'blob'>;
  readonly compilePattern: CompilePattern;
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

/** Files of which lines are read at least, to order the best by them. */
const lined = 50;
/** Files and characters of lines that regular expressions are tested on. */
const tested = { files: 100, characters: 1024 * 1024 } as const;
/** Files whose lines are read at the same time. */
const readAtOnce = 8;

export function searchSections({ repositories, git, compilePattern }: SectionParts) {
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
    { visibility }: SectionSearch,
    hits: readonly H[],
  ): Promise<readonly (H & { readonly repository: Repository })[]> {
    const found = await visibility.repositories([...new Set(hits.map(({ repositoryId }) => repositoryId))]);
    return hits.map((hit) => {
      const repository = found.get(hit.repositoryId);
      if (repository === undefined) throw new FilterFailed(`a hit is in the unreadable repository ${hit.repositoryId}`);
      return { ...hit, repository };
    });
  }

  /** The best line of a file. Undefined for a file that is gone meanwhile, and if no line passes the test. */
  async function lineOf(
    { repositoryId, oid, definedAt }: FileHit,
    terms: readonly string[],
    test: ((line: string) => boolean) | undefined,
    signal: AbortSignal,
  ): Promise<BestLine | undefined> {
    try {
      const { bytes } = await git.blob(repositoryId, oid, signal);
      const text = new TextDecoder();
      let whole = '';
      for await (const chunk of bytes) whole += text.decode(chunk, { stream: true });
      return bestLine(whole, terms, { definedAt, ...(test && { test }) });
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  return {
    /** @throws {ValidationFailed} for a regular expression that cannot be used. */
    async code(search: SectionSearch): Promise<SectionHits<CodeHit>> {
      const { backend, call, text, limit } = search;
      const patterns = await Promise.all(text.patterns.map((source) => searchPattern(source, compilePattern)));
      const { terms, short } = fileTerms(text, patterns);
      if (terms.length === 0) return noHits;
      const { languages, paths } = text;
      // A regular expression is tested on the best files that contain its literal texts.
      const wanted = limit === 0 ? 0 : Math.max(limit, lined);
      const asked = await within(search, patterns.length > 0 ? tested.files : wanted);
      const test = patterns.length === 0 ? undefined : boundedTest(patterns);
      const { total, hits: found } = await backend.files({ ...asked, terms, short, languages, paths });
      // Before any file is read.
      const hits = await located(search, found);
      if (limit === 0 && patterns.length === 0) return { total, hits: [] };
      const best: CodeHit[] = [];
      for (let at = 0; at < hits.length; at += readAtOnce) {
        const some = hits.slice(at, at + readAtOnce);
        const lines = await Promise.all(some.map((hit) => lineOf(hit, [...terms, ...short], test, call.signal)));
        for (const [place, { repository, path, language, score }] of some.entries()) {
          if (test !== undefined && lines[place] === undefined) continue;
          const { line = 1, firstLine = 1, snippet = '', quality = 0 } = lines[place] ?? {};
          // A line weighs less than a definition or a file name, and more than the path.
          best.push({ repository, path, language, line, firstLine, snippet, score: score + quality * 20 });
        }
      }
      return {
        total: test === undefined ? total : best.length,
        hits: best.toSorted((one, other) => other.score - one.score).slice(0, limit),
      };
    },

    async symbols(search: SectionSearch, kinds: readonly SymbolKind[] = []): Promise<SectionHits<DefinitionHit>> {
      const { backend, text } = search;
      const name = symbolName(text);
      if (name === undefined) return noHits;
      const { languages, paths } = text;
      const { total, hits } = await backend.symbols({ ...(await within(search)), name, kinds, languages, paths });
      return { total, hits: (await located(search, hits)).slice(0, search.limit) };
    },

    async documents(
      search: SectionSearch,
      {
        section,
        sort,
        among,
        permission,
      }: {
        readonly section: string;
        readonly sort: 'relevance' | 'recent';
        /** The only repositories that are searched, as `owner/name`. Absent: all. */
        readonly among?: readonly string[];
        /** A permission that the caller needs besides reading. */
        readonly permission?: string | undefined;
      },
    ): Promise<SectionHits<FoundDocument>> {
      const { backend, call, text, visibility } = search;
      const words = documentWords(text);
      if (words.length === 0) return noHits;
      const asked = await within(search);
      const named = among && new Set([...(await repositories.named(among)).values()].map(({ id }) => id));
      const wanted =
        named === undefined
          ? asked.repositoryIds
          : [...named].filter((id) => asked.repositoryIds?.includes(id) ?? true);
      const lacking = permission === undefined ? [] : await repositories.lacking(call.caller, permission);
      const repositoryIds =
        lacking.length === 0
          ? wanted
          : (wanted ?? [...(await visibility.readable.ids())]).filter((id) => !lacking.includes(id));
      if (repositoryIds?.length === 0) return noHits;
      const { total, hits } = await backend.documents({ ...asked, repositoryIds, section, words, sort });
      return { total, hits: (await located(search, hits)).slice(0, search.limit) };
    },
  };
}

/** All patterns, until so many characters have been tested. */
function boundedTest(patterns: readonly SearchPattern[]): (line: string) => boolean {
  let left: number = tested.characters;
  return (line) => {
    left -= line.length;
    return left > 0 && patterns.every(({ test }) => test(line));
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
