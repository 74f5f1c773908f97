// The MCP tools of the search, which call the same use cases as the routes.
import {
  count,
  flag,
  list,
  maybe,
  oneOf,
  reads,
  shape,
  tool,
  ValidationFailed,
  word,
  type Tool,
} from 'hexforge/plugin';
import { searchBounds, symbolKinds } from 'hexforge/search';
import type { SearchUseCases } from '#core/search/use-cases';
import { codeSourceJson, presentCode, presentSymbol, symbolSourceJson } from './site/schemas.ts';

/** The scope of the endpoint, mcp:read, is enough for every reading tool. */
const reading = { access: reads('repository', 'repo.read'), scope: null } as const;
const limit = () => count().min(1).max(100).default(30).description('1 to 100; default 30');

/** A filter as the search text has it. */
const filter = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}:"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

const complete = () =>
  flag().description('False if the search is not available right now, so that the list is empty; try again later');

export const searchTools = ({ findCode, findSymbols }: SearchUseCases): readonly Tool[] => [
  tool({
    ...reading,
    family: 'search',
    name: 'search_code',
    description:
      'Finds files by their text in all repositories that you can read, on their default branches: every word or "quoted phrase" must be in the file or its path, in any case. The best match first: definitions, file names, then text. Narrow a search with lang, path, or repo:owner/name in the query. Binary, generated and very large files are not found, and a word needs three letters or digits in a row. Continue with read_file for a file of this repository; use find_symbol where you know a name.',
    input: shape({
      query: word().max(searchBounds.query).description('Such as: parseConfig "not found" repo:ada/site'),
      lang: maybe(word().max(50).description('A language, such as typescript, go, python')),
      path: maybe(word().max(searchBounds.term).description('A part of the path, such as src/')),
      limit: limit(),
    }),
    output: shape({ total: count().description('Up to 1,000'), files: list(codeSourceJson), available: complete() }),
    run: async (call, { input: { query, lang, path, limit } }) => {
      const { hits, degraded } = await findCode(call, `${query}${filter('lang', lang)}${filter('path', path)}`, limit);
      return { total: hits.total, files: hits.hits.map(presentCode), available: !degraded };
    },
  }),
  tool({
    ...reading,
    family: 'search',
    name: 'find_symbol',
    description:
      'Finds where a name is defined (functions, classes, methods, types and so on) in all repositories that you can read. Whole names come first, then beginnings and parts of names. One call costs as much as a search. Continue with read_file at the line of the definition; use search_code to find uses of the name.',
    input: shape({
      name: word().max(searchBounds.term).description('The name in any case, such as parseConfig'),
      kind: maybe(oneOf(...symbolKinds)),
      limit: limit(),
    }),
    output: shape({
      total: count().description('Up to 1,000'),
      symbols: list(symbolSourceJson),
      available: complete(),
    }),
    run: async (call, { input: { name, kind, limit } }) => {
      if (name.trim() === '') throw new ValidationFailed('The name is empty');
      const { hits, degraded } = await findSymbols(call, name, kind, limit);
      return { total: hits.total, symbols: hits.hits.map(presentSymbol), available: !degraded };
    },
  }),
];
