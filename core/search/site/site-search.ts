// The site-wide search: several sections at once, each filtered by the repositories that the caller can read.
import type { ScopeCatalogue, ScopeName } from '#core/kernel/access/scopes';
import type { Call, User } from '#core/kernel/caller';
import { InsufficientScope, ValidationFailed } from '#core/kernel/errors';
import { within } from '#core/kernel/limits/within';
import type { Log } from '#core/kernel/services/log';
import type { Settings } from '#core/kernel/services/settings';
import type { Repositories } from '#core/repositories/index';
import type { SearchBackend } from '../model/backend.ts';
import type { Section } from '../model/section.ts';
import { parseSearchText } from '../query/search-text.ts';
import { noHits, type CodeHit, type DefinitionHit, type FoundDocument, type SectionHits } from './hits.ts';
import { FilterFailed, repositoryPaths, type SearchSections, type SectionSearch } from './search-sections.ts';
import { visibilityOf } from './visibility.ts';

/** The sections that every answer has, in their order. */
export const fixedSections = ['code', 'symbols', 'issues', 'mrs', 'docs'] as const;
/** The name of one of them. */
export type FixedSection = (typeof fixedSections)[number];

/** The sections that are searched if a request names none. */
const usual: readonly string[] = ['code', 'symbols', 'issues', 'mrs'];

/** The orders of a search. */
export const searchSorts = ['relevance', 'recent'] as const;

/** A request for a search. */
export interface SearchCommand {
  readonly q: string;
  /** Names of sections; unknown ones are ignored. Absent: the usual ones. */
  readonly types?: readonly string[] | undefined;
  /** Those of the sections whose matches are only counted. */
  readonly counted?: readonly string[] | undefined;
  readonly limit: number;
  readonly sort: (typeof searchSorts)[number];
}

/** The answer. */
export interface SearchResult {
  readonly code: SectionHits<CodeHit>;
  readonly symbols: SectionHits<DefinitionHit>;
  /** Sections of documents, by name: always `issues`, `mrs` and `docs`, others if they were named. */
  readonly documents: ReadonlyMap<string, SectionHits<FoundDocument>>;
  /** Whether the back end was missing or failed, so that all sections are empty. */
  readonly degraded: boolean;
}

export interface SiteParts {
  readonly backend: () => SearchBackend | undefined;
  readonly sections: () => readonly Section[];
  readonly searches: SearchSections;
  readonly repositories: Pick<Repositories, 'readableIds' | 'readable'>;
  readonly scopes: ScopeCatalogue;
  readonly settings: Settings;
  readonly log: Log;
  /** Milliseconds that the back end has for an answer; default: 5 seconds. */
  readonly patience?: number;
}

const nothing: SearchResult = {
  code: noHits,
  symbols: noHits,
  documents: new Map([
    ['issues', noHits],
    ['mrs', noHits],
    ['docs', noHits],
  ]),
  degraded: false,
};

export function siteSearch({
  backend,
  sections,
  searches,
  repositories,
  scopes,
  settings,
  log,
  patience = 5000,
}: SiteParts) {
  /** The scope that the token lacks; undefined if it lacks none. */
  const lackedScope = ({ credential }: User, scope: ScopeName | null): string | undefined => {
    if (scope === null || credential.scopes === 'all') return undefined;
    const kind = credential.kind === 'oauth' ? 'oauth' : 'pat';
    const { ok, required } = scopes.satisfied(scope, kind, credential.scopes);
    return ok ? undefined : (required ?? scope);
  };
  /** The sections that the token can see. @throws {InsufficientScope} without any. */
  function visibleTo(caller: User): ReadonlySet<string> {
    const all: readonly Pick<Section, 'name' | 'scope'>[] = [
      ...['code', 'symbols', 'docs'].map((name) => ({ name, scope: 'repo.read' as const })),
      ...sections(),
    ];
    const visible = all.filter(({ scope }) => lackedScope(caller, scope) === undefined);
    if (visible.length === 0) throw new InsufficientScope(lackedScope(caller, 'repo.read') ?? 'repo.read');
    return new Set(visible.map(({ name }) => name));
  }

  type Asked = Pick<SectionSearch, 'call' | 'backend' | 'visibility'>;

  /**
   * Answers from the back end, and without hits if it is missing, fails, does not answer in time, or returns a hit that
   * the caller may not read.
   * @throws {Internal} if the filter of readable repositories cannot be resolved.
   */
  async function answered<T extends object>(
    call: Call,
    otherwise: T,
    ask: (search: Asked) => Promise<T>,
  ): Promise<{ readonly answer: T; readonly degraded: boolean }> {
    let visibility = await visibilityOf(repositories, call.caller);
    const provider = backend();
    if (provider === undefined) return { answer: otherwise, degraded: true };
    const late = new AbortController();
    const asked = async (signal: AbortSignal): Promise<T> => {
      const given = { call: { ...call, signal: AbortSignal.any([signal, late.signal]) }, backend: provider };
      try {
        return await ask({ ...given, visibility });
      } catch (error) {
        if (!(error instanceof FilterFailed)) throw error;
        // The repository may have been hidden or deleted after the query. A second such hit is a fault.
        visibility = await visibilityOf(repositories, call.caller);
        return ask({ ...given, visibility });
      }
    };
    try {
      const answer = await within(call.signal, asked, patience);
      if (answer !== undefined) return { answer, degraded: false };
      late.abort();
      log.error({ milliseconds: patience }, 'the search back end did not answer in time');
    } catch (error) {
      call.signal.throwIfAborted();
      visibility.check();
      if (error instanceof ValidationFailed) throw error;
      log.error({ err: error }, 'the search back end failed');
    }
    return { answer: otherwise, degraded: true };
  }

  return {
    answered,
    visibleTo,

    /**
     * @throws {ValidationFailed} for an empty or too long text; {InsufficientScope} if the token can see no section;
     *   {Internal} if the filter of readable repositories cannot be resolved.
     */
    async search(
      call: Call<User>,
      { q, types = usual, counted = [], limit, sort }: SearchCommand,
    ): Promise<SearchResult> {
      const text = parseSearchText(q);
      const visible = visibleTo(call.caller);
      const asked = new Set(types.filter((type) => visible.has(type)));
      const docs = repositoryPaths(await settings.get('search.docs.repositories'));
      const { answer, degraded } = await answered(call, nothing, async (given): Promise<SearchResult> => {
        const of = (name: string): SectionSearch => ({ ...given, text, limit: counted.includes(name) ? 0 : limit });
        const [code, symbols, ...documents] = await Promise.all([
          asked.has('code') ? searches.code(of('code')) : noHits,
          asked.has('symbols') ? searches.symbols(of('symbols')) : noHits,
          ...[...new Set([...nothing.documents.keys(), ...asked])]
            .filter((name) => name !== 'code' && name !== 'symbols')
            .map(async (name): Promise<readonly [string, SectionHits<FoundDocument>]> => {
              if (!asked.has(name)) return [name, noHits];
              if (name === 'docs')
                return [name, await searches.documents(of(name), { section: name, sort: 'relevance', among: docs })];
              const permission = sections().find((section) => section.name === name)?.permission;
              return [name, await searches.documents(of(name), { section: name, sort, permission })];
            }),
        ]);
        return { code, symbols, documents: new Map(documents), degraded: false };
      });
      return { ...answer, degraded };
    },
  };
}

export type SiteSearch = ReturnType<typeof siteSearch>;
