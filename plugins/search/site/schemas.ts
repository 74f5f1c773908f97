// The JSON shapes of the site-wide search.
import { count, Joi, list, maybe, oneOf, shape, text, word, type TypeOf } from 'hexforge/plugin';
import { symbolKinds, type CodeHit, type DefinitionHit, type FoundDocument, type SectionHits } from 'hexforge/search';

const score = () => Joi.number().description('Greater is better; compares within one section');

const hitOf = <S extends Joi.AnySchema>(source: S, name: string) =>
  shape({ id: word().description('Unique within the section'), score: score(), source }).id(name);

const sectionOf = <S extends Joi.AnySchema>(hit: S, name: string) =>
  shape({ total: count().description('Counted up to 1,000'), hits: list(hit) }).id(name);

const place = { repo_owner: word(), repo_name: word(), path: word(), lang: text() };

/** A file with its best line. */
export const codeSourceJson = shape({
  ...place,
  line: count().description('1-based; 1 if only the path matches'),
  snippet: text().description('The line with its neighbours; empty if only the path matches'),
}).id('CodeHitSource');

/** A definition. */
export const symbolSourceJson = shape({
  ...place,
  name: word(),
  kind: oneOf(...symbolKinds),
  line: count(),
  signature: text(),
}).id('SymbolHitSource');

export const codeSectionJson = sectionOf(hitOf(codeSourceJson, 'CodeHit'), 'CodeHits');
const symbolSectionJson = sectionOf(hitOf(symbolSourceJson, 'SymbolHit'), 'SymbolHits');
const documentSource = () =>
  Joi.object({ repo_owner: word().required(), repo_name: word().required() })
    .pattern(Joi.string(), Joi.any())
    .description('repo_owner, repo_name, and the members of its section');
const documentSectionJson = sectionOf(
  shape({ id: word(), score: score(), source: documentSource() }).id('DocumentHit'),
  'DocumentHits',
);

/** Always these five sections, and others that plugins contribute if they were asked for. */
export const searchJson = shape({
  code: codeSectionJson,
  symbols: symbolSectionJson,
  issues: documentSectionJson,
  mrs: documentSectionJson,
  docs: documentSectionJson,
})
  .pattern(Joi.string(), Joi.object({ total: count().required(), hits: Joi.array().required() }))
  .id('SearchResult');

const suggestionJson = shape({
  type: oneOf('repository', 'symbol', 'file'),
  text: word(),
  path: word().description('The path of its page'),
}).id('Suggestion');
export const suggestionsJson = shape({ suggestions: list(suggestionJson) }).id('Suggestions');

const q = () =>
  text().default('').description('Words, "a phrase", lang:go, path:src, repo:owner/name; 1 to 1,000 characters');
const limit = () => maybe(text().description('1 to 100 hits a section; default 20'));

export const searchQuery = shape({
  q: q(),
  types: maybe(text().description('Of code, symbols, issues, mrs, docs, separated by commas; default: the first four')),
  limit: limit(),
  sort: maybe(text().description('relevance (default) or recent, for issues and mrs')),
});
export const sectionQuery = shape({ q: q(), limit: limit() });

const within = { repo: maybe(word().empty('').max(300)) };
/** The search page; `types` is one section or absent. */
export const pageQuery = shape({ q: q(), types: maybe(text()), limit: limit(), sort: maybe(text()), ...within });
/** The suggestions of a search box. */
export const boxQuery = shape({ q: q(), limit: limit(), ...within });

interface InRepository {
  readonly repository: { readonly id: string; readonly owner: string; readonly name: string };
}

const named = ({ repository }: InRepository) => ({ repo_owner: repository.owner, repo_name: repository.name });

export const presentCode = (hit: CodeHit): TypeOf<typeof codeSourceJson> => ({
  ...named(hit),
  path: hit.path,
  lang: hit.language,
  line: hit.line,
  snippet: hit.snippet,
});

export const presentSymbol = (hit: DefinitionHit): TypeOf<typeof symbolSourceJson> => ({
  ...named(hit),
  path: hit.path,
  lang: hit.language,
  name: hit.name,
  kind: hit.kind,
  line: hit.line,
  signature: hit.signature,
});

export const presentDocument = (hit: FoundDocument): TypeOf<ReturnType<typeof documentSource>> => ({
  ...named(hit),
  ...(hit.source as Readonly<Record<string, unknown>>),
});

/** A section in its JSON form. */
export const presentSection = <H extends InRepository & { readonly score: number }, S>(
  { total, hits }: SectionHits<H>,
  idOf: (hit: H) => string,
  present: (hit: H) => S,
) => ({
  total,
  hits: hits.map((hit) => ({ id: `${hit.repository.id}:${idOf(hit)}`, score: hit.score, source: present(hit) })),
});
