// The page that finds a file of a ref by parts of its path.
import { html, HtmlPage, Joi, maybe, page, shape, type WebPage } from 'hexforge/plugin';
import { empty, icon, list } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { bar } from '../pages/folder-view.ts';
import { blobPath, findPath } from '../pages/links.ts';
import { reading } from '../shapes.ts';

const most = 100;
const longestQuery = 200;

export const findPages = (useCases: RepositoryUseCases): readonly WebPage[] => [
  page({
    id: 'repositoryFind',
    summary: 'Files of a ref by parts of their path',
    place: 'repository',
    path: '/find/{ref*}',
    ...reading,
    query: shape({ q: maybe(Joi.string().allow('').max(longestQuery)) }),
    async run({ now }, { granted, params: { ref }, query: { q = '' } }) {
      const repository = granted.resource;
      const { paths, truncated } = await useCases.findFiles(granted, { ref, q, limit: most });
      return new HtmlPage({
        title: 'Find a file',
        width: 'wide',
        main: html`<h1 class="skip">Find a file</h1>
          ${bar({ repository, ref, path: '', now, kind: 'find' })}
          <form class="filter" method="get" role="search" action="${findPath(repository, ref)}">
            <input
              type="search"
              name="q"
              value="${q}"
              aria-label="Parts of the path"
              placeholder="Parts of the path"
              data-key="/"
              ${q === '' && html`autofocus`}
            />
          </form>
          ${
            paths.length === 0
              ? empty('No file has such a path')
              : list(
                  paths.map((path) => ({
                    mark: icon('file'),
                    title: html`<a href="${blobPath(repository, ref, path)}"><bdi>${path}</bdi></a>`,
                  })),
                )
          }
          ${truncated && html`<p class="quiet">There are more files than are shown. Type more of the path.</p>`}`,
      });
    },
  }),
];
