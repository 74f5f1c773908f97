// The page of the site-wide search: all sections beside each other, or one of them in full.
import {
  anyone,
  html,
  HtmlPage,
  page,
  reply,
  signedIn,
  ValidationFailed,
  type Html,
  type HtmlPiece,
  type MenuEntry,
  type WebPage,
} from 'hexforge/plugin';
import {
  fixedSections,
  folded,
  isIndexable,
  searchSorts,
  type FixedSection,
  type SearchCommand,
  type SearchResult,
} from 'hexforge/search';
import { disclosure, empty, linkButton, list, listLinks, notice, searchBox, tabs } from 'hexforge/ui';
import { markedTerms, parseSearchText, type SearchUseCases } from '#core/search/use-cases';
import { searchPage, searchPath, suggestionsPath, textWithin } from '../site/links.ts';
import { readLimit } from '../site/routes.ts';
import { pageQuery } from '../site/schemas.ts';
import { codeHit, documentHits, symbolRow, type Marks } from './hits.ts';
import { counted, help } from './words.ts';

const titles: Readonly<Record<FixedSection, string>> = {
  code: 'Code',
  symbols: 'Symbols',
  issues: 'Issues',
  mrs: 'Merge requests',
  docs: 'Documentation',
};
const nouns: Readonly<Record<FixedSection, string>> = {
  code: 'file',
  symbols: 'definition',
  issues: 'issue',
  mrs: 'merge request',
  docs: 'document',
};

/** The hits of a section on the page of all, and the numbers of hits on the page of one. */
const few = 5;
const limits = [20, 50, 100] as const;

interface Shown {
  readonly q: string;
  readonly sort: SearchCommand['sort'];
  readonly limit: number;
  readonly result: SearchResult;
  readonly marks: Marks;
  readonly now: Date;
}

const totalOf = (section: FixedSection, { code, symbols, documents }: SearchResult): number =>
  (section === 'code' ? code : section === 'symbols' ? symbols : documents.get(section))?.total ?? 0;

/** The hits of a section, and their number. */
function hitsOf(
  section: FixedSection,
  { result, marks, now }: Shown,
): { readonly view: HtmlPiece; readonly count: number } {
  const { code, symbols, documents } = result;
  if (section === 'code')
    return { view: html`<div>${code.hits.map((hit) => codeHit(hit, marks))}</div>`, count: code.hits.length };
  if (section === 'symbols')
    return {
      view: list(symbols.hits.map((hit) => symbolRow(hit, marks.files))),
      count: symbols.hits.length,
    };
  const hits = documents.get(section)?.hits ?? [];
  return { view: documentHits(section, hits, marks, now), count: hits.length };
}

/** A link to the page of one section, or of all. */
const linkTo = (
  { q, sort }: Pick<Shown, 'q' | 'sort'>,
  types?: FixedSection,
  more: Readonly<Record<string, string>> = {},
) => searchPage(q, { ...(types !== undefined && { types }), ...(sort === 'recent' && { sort }), ...more });

const none = (section: FixedSection, { q }: Pick<Shown, 'q'>): Html => {
  const { terms, patterns } = parseSearchText(q);
  if (terms.length === 0 && patterns.length === 0) return empty('There is no word to search for', help);
  if (section === 'code' && patterns.length === 0 && !terms.some((term) => isIndexable(folded(term))))
    return empty('Code is found by words of at least three letters or digits', help);
  if (section === 'docs')
    return empty(
      'No document matches',
      'Administrators name the repositories with documentation in the setting search.docs.repositories.',
    );
  return empty(`No ${nouns[section]} matches`, help);
};

/** Sections with hits. Definitions are before others if one has the name that is searched for. */
function order(sections: readonly FixedSection[], { q, result }: Shown): readonly FixedSection[] {
  const name = folded(parseSearchText(q).terms.join(''));
  const isNamed = result.symbols.hits.some((hit) => folded(hit.name) === name);
  const rank = (section: FixedSection): number => (section === 'symbols' && isNamed ? 0 : 1);
  return sections.filter((section) => totalOf(section, result) > 0).toSorted((one, other) => rank(one) - rank(other));
}

/** The best hits of all sections. */
function allView(sections: readonly FixedSection[], shown: Shown): Html {
  const found = order(sections, shown);
  if (found.length === 0) return none(sections[0] ?? 'code', shown);
  return html`${found.map((section) => {
    const { view, count } = hitsOf(section, shown);
    const total = totalOf(section, shown.result);
    return html`<section>
      <h2>${titles[section]} <span class="count">${counted(total)}</span></h2>
      ${view}
      ${total > count && html`<p class="more"><a href="${linkTo(shown, section)}">All ${counted(total)} ${nouns[section]}s</a></p>`}
    </section>`;
  })}
  ${disclosure('How to search', help)}`;
}

/** All hits of one section. */
function oneView(section: FixedSection, shown: Shown): Html {
  const { view, count } = hitsOf(section, shown);
  const total = totalOf(section, shown.result);
  if (count === 0) return none(section, shown);
  const next = limits.find((limit) => limit > shown.limit);
  const isSorted = section === 'issues' || section === 'mrs';
  const sorted = (title: string, sort: SearchCommand['sort']) => ({
    title,
    href: linkTo({ ...shown, sort }, section),
    current: shown.sort === sort,
  });
  return html`${
      isSorted &&
      html`<div class="bar">
        ${listLinks('Order', [sorted('Best match', 'relevance'), sorted('Last updated', 'recent')])}
      </div>`
    }
    <section>
      <h2 class="skip">${titles[section]}</h2>
      ${view}
    </section>
    ${
      total > count &&
      (next === undefined
        ? html`<p class="quiet">Only the best ${count.toString()} are shown. Add words or filters to find others.</p>`
        : html`<p class="more">${linkButton('Show more', linkTo(shown, section, { limit: String(next) }))}</p>`)
    }
    ${disclosure('How to search', help)}`;
}

const down = notice('The search does not answer right now. Try again in a moment.');

export const searchPages = (useCases: SearchUseCases): readonly WebPage[] => [
  page({
    id: 'searchPage',
    summary: 'Code, symbols, issues, merge requests and documentation that match a text',
    path: '/search',
    access: signedIn,
    scope: null,
    meter: 'api.expensive',
    query: pageQuery,
    async run(call, { query: { q: typed, repo, types: given = '', limit: wanted, sort: order } }) {
      const q = textWithin(repo, typed.trim());
      const sort = searchSorts.find((each) => each === order) ?? 'relevance';
      const visible = useCases.visibleTo(call.caller);
      const sections = fixedSections.filter((section) => visible.has(section));
      const chosen = sections.find((section) => section === given);
      const limit = chosen === undefined ? few : readLimit(wanted);
      const box = searchBox({
        label: 'Search',
        action: searchPath,
        value: q,
        fields: { types: chosen, sort: sort === 'recent' ? sort : undefined },
        suggestions: suggestionsPath,
        autofocus: q === '',
        button: true,
      });
      const shownAs = (title: string, main: Html): HtmlPage =>
        new HtmlPage({
          title,
          width: 'wide',
          main: html`<h1 class="skip">Search</h1>
            ${box} ${main}`,
        });
      if (typed.trim() === '') return shownAs('Search', empty('Search code, definitions, issues and more', help));
      const counts = sections.filter((section) => chosen !== undefined && section !== chosen);
      const asked = { q, types: sections, counted: counts, limit, sort };
      const result = await useCases.search(call, asked).catch((error: unknown) => {
        if (error instanceof ValidationFailed) return error;
        throw error;
      });
      if (result instanceof ValidationFailed) {
        const why = html`<b>${result.message}.</b> ${result.detail}`;
        return reply(shownAs('Search', html`${notice(why)} ${empty('How to search', help)}`), { status: 400 });
      }
      const shown = { q, sort, limit, result, marks: markedTerms(parseSearchText(q)), now: call.now };
      const choices = tabs('Sections', [
        { title: 'All', href: linkTo(shown), current: chosen === undefined },
        ...sections.map((section) => ({
          title: titles[section],
          href: linkTo(shown, section),
          count: result.degraded ? undefined : counted(totalOf(section, result)),
          current: section === chosen,
        })),
      ]);
      const view = result.degraded ? down : chosen === undefined ? allView(sections, shown) : oneView(chosen, shown);
      return shownAs(`${q} – Search`, html`${choices} ${view}`);
    },
  }),
];

/** The box at the top of all pages. Without a session, it leads to the sign-in page. */
export const boxMenu: MenuEntry = {
  id: 'search',
  title: 'Search',
  path: searchPath,
  suggestions: suggestionsPath,
  menu: 'search-box',
  access: anyone,
};
