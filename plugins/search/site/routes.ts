// The routes of the site-wide search, and the two deprecated ones.
import { api, reply, signedIn, type Call, type Instance, type Reply, type Route, type User } from 'hexforge/plugin';
import { searchSorts, type CodeHit, type SearchResult } from 'hexforge/search';
import type { SearchUseCases } from '#core/search/use-cases';
import { suggestionPath, suggestionsPath, textWithin } from './links.ts';
import {
  boxQuery,
  codeSectionJson,
  presentCode,
  presentDocument,
  presentSection,
  presentSymbol,
  searchJson,
  searchQuery,
  sectionQuery,
  suggestionsJson,
} from './schemas.ts';

const hits = { default: 20, most: 100 } as const;

/** 1 to 100; the default for 0 and for a text that is not a number. */
export function readLimit(given: string | undefined): number {
  const number = /^[+-]?\d+$/.test(given ?? '') ? Number(given) : 0;
  return number === 0 ? hits.default : Math.min(Math.max(number, 1), hits.most);
}

const fallback = { 'x-search-fallback': 'true' } as const;

const codeOf = (code: SearchResult['code']) =>
  presentSection<CodeHit, ReturnType<typeof presentCode>>(code, ({ path }) => path, presentCode);

export const presentResult = ({ code, symbols, documents }: SearchResult) => ({
  code: codeOf(code),
  symbols: presentSection(symbols, ({ path, line, name }) => `${path}:${line}:${name}`, presentSymbol),
  ...(Object.fromEntries(
    [...documents].map(([name, section]) => [name, presentSection(section, ({ key }) => key, presentDocument)]),
  ) as Record<'issues' | 'mrs' | 'docs', { total: number; hits: [] }>),
});

/** Adds the header of a degraded answer. */
const answered = <T>(body: T, degraded: boolean, headers: Readonly<Record<string, string>> = {}): Reply<T> =>
  reply(body, { headers: { ...headers, ...(degraded && fallback) } });

export function searchRoutes({ search, suggest }: SearchUseCases, instance: Instance): readonly Route[] {
  // 403: the token has the scope of no section. 500: the readable repositories could not be determined.
  const common = {
    method: 'GET',
    access: signedIn,
    scope: null,
    meter: 'api.expensive',
    statuses: [403, 500],
  } as const;
  const deprecated = () => ({
    deprecation: 'true',
    link: `<${instance.baseUrl}/api/v1/search>; rel="successor-version"`,
  });
  const suggested = async (call: Call<User>, q: string, limit: string | undefined) => {
    const { suggestions, degraded } = await suggest(call, { q, limit: readLimit(limit) });
    const shown = suggestions.map((each) => ({ type: each.type, text: each.text, path: suggestionPath(each) }));
    return { body: { suggestions: shown }, degraded };
  };
  return [
    api({
      ...common,
      id: 'search',
      summary: 'Search code, symbols, issues, merge requests and documentation',
      path: '/search',
      query: searchQuery,
      result: searchJson,
      async run(call, { query: { q, types, limit, sort } }) {
        const result = await search(call, {
          q,
          types: types === undefined || types === '' ? undefined : types.split(',').map((type) => type.trim()),
          limit: readLimit(limit),
          sort: searchSorts.find((each) => each === sort) ?? 'relevance',
        });
        return answered(presentResult(result), result.degraded);
      },
    }),
    api({
      ...common,
      id: 'searchCode',
      summary: 'Search code alone',
      path: '/search/code',
      deprecated: true,
      query: sectionQuery,
      result: codeSectionJson,
      async run(call, { query: { q, limit } }) {
        const command = { q, types: ['code'], limit: readLimit(limit), sort: 'relevance' } as const;
        const { code, degraded } = await search(call, command);
        return answered(codeOf(code), degraded, deprecated());
      },
    }),
    api({
      ...common,
      id: 'searchSuggest',
      summary: 'Suggestions while a search is typed',
      path: '/search/suggest',
      deprecated: true,
      query: sectionQuery,
      result: suggestionsJson,
      async run(call, { query: { q, limit } }) {
        const { body, degraded } = await suggested(call, q, limit);
        return answered(body, degraded, deprecated());
      },
    }),
    // The same for the search boxes of pages, whose session is a cookie and renewed here.
    api({
      ...common,
      id: 'searchBoxSuggest',
      summary: 'Suggestions of a search box',
      mount: 'root',
      path: suggestionsPath,
      cookies: true,
      hidden: true,
      requires: ['PageFrame'],
      query: boxQuery,
      result: suggestionsJson,
      async run(call, { query: { q, repo, limit } }) {
        return (await suggested(call, textWithin(repo, q), limit)).body;
      },
    }),
  ];
}
