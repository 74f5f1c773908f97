// The page that leads from a name in a file to its definition, or lists the definitions if there are several.
import { html, HtmlPage, maybe, page, reads, reply, shape, text, word, type Html, type WebPage } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import { searchBounds, type DefinitionHit } from 'hexforge/search';
import { button, empty, field, list, notice } from 'hexforge/ui';
import type { SearchUseCases } from '#core/search/use-cases';
import { definitionPath, filePath, filterText, searchPage } from '../site/links.ts';
import { symbolRow } from './hits.ts';

/** The form with a name, in the side column of a file and on the page. The script sends it for a name in the code. */
export const definitionForm = (
  repository: Pick<Repository, 'owner' | 'name'>,
  { name = '', from, isScripted = false }: { name?: string; from: string | undefined; isScripted?: boolean },
): Html =>
  html`<form
    class="form row"
    method="get"
    action="${definitionPath(repository)}"
    ${isScripted && html`data-definitions`}
  >
    ${from !== undefined && html`<input type="hidden" name="from" value="${from}" />`}
    ${field({ label: 'Name', name: 'name', id: 'definition-name', value: name, autocomplete: 'off' })}
    ${button('Find definition')}
  </form>`;

const listed = (title: string, hits: readonly DefinitionHit[], name: string): Html | false =>
  hits.length > 0 &&
  html`<section>
    <h2>${title}</h2>
    ${list(hits.map((hit) => symbolRow(hit, [name])))}
  </section>`;

export const definitionPages = ({ definitions }: Pick<SearchUseCases, 'definitions'>): readonly WebPage[] => [
  page({
    id: 'searchDefinition',
    summary: 'Leads to the definition of a name, or lists its definitions',
    place: 'repository',
    path: '/definition',
    access: reads('repository', 'repo.read'),
    scope: 'repo.read',
    meter: 'api.expensive',
    query: shape({
      name: text().default('').empty(null),
      from: maybe(word().empty('').max(4096)),
    }),
    async run(call, { granted, query: { name: given, from } }) {
      const repository = granted.resource;
      const name = given.trim().slice(0, searchBounds.term);
      const shown = (main: Html): HtmlPage =>
        new HtmlPage({
          title: name === '' ? 'Find a definition' : `Definitions of ${name}`,
          width: 'wide',
          main: html`<h1>
              ${name === '' ? 'Find a definition' : html`Definitions of <code><bdi>${name}</bdi></code>`}
            </h1>
            ${definitionForm(repository, { name, from })} ${main}`,
        });
      if (name === '') return shown(empty('Type the name of a function, a class or a constant'));
      const { best, here, elsewhere, degraded } = await definitions(call, { name, repository, from });
      if (degraded) return shown(notice('The search does not answer right now. Try again in a moment.'));
      if (best !== undefined) {
        const location = filePath(repository, best.repository.defaultBranch, best.path, best.line);
        return reply(new HtmlPage({ title: '', main: html`` }), { status: 303, headers: { location } });
      }
      const within = filterText('repo', `${repository.owner}/${repository.name}`);
      const uses = searchPage(`${JSON.stringify(name)} ${within}`, { types: 'code' });
      if (here.length === 0 && elsewhere.length === 0)
        return shown(
          empty(
            'No definition of this name is known',
            html`Definitions are read from the default branches. <a href="${uses}">Files with the name</a>`,
          ),
        );
      return shown(
        html`${listed('In this repository', here, name)} ${listed('In other repositories', elsewhere, name)}
          <p class="more"><a href="${uses}">Files of this repository with the name</a></p>`,
      );
    },
  }),
];
