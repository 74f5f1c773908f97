// The pages of branches and tags.
import { html, HtmlPage, page, pageQuery, pageRules, readPage, shape, type WebPage } from 'hexforge/plugin';
import { empty, icon, list, pagination, pill, time } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { reading } from '../shapes.ts';
import { commitPath, treePath } from './links.ts';

export const refPages = (useCases: RepositoryUseCases): readonly WebPage[] => [
  page({
    id: 'repositoryBranches',
    summary: 'The branches, each with its distance from the default branch',
    place: 'repository',
    path: '/branches',
    ...reading,
    query: shape(pageQuery),
    async run({ now }, { granted, query, url }) {
      const repository = granted.resource;
      const request = readPage(pageRules.capped(), query);
      const found = await (await useCases.branches(granted, { ...request, includeDivergence: true })).read();
      return new HtmlPage({
        title: 'Branches',
        width: 'wide',
        main: html`<h1>Branches</h1>
          ${
            found.items.length === 0
              ? empty('There is no branch yet')
              : list(
                  found.items.map((branch) => ({
                    mark: icon('branch'),
                    title: html`<a href="${treePath(repository, branch.name)}"><bdi>${branch.name}</bdi></a>
                      ${branch.isDefault && pill('default', 'accent')} ${branch.isProtected && pill('protected')}`,
                    about: html`<a href="${commitPath(repository, branch.oid)}"><bdi>${branch.subject}</bdi></a> ·
                      <bdi>${branch.author}</bdi> ${time(branch.committedAt, now)}`,
                    end:
                      !branch.isDefault &&
                      html`${String(branch.divergence.ahead)} ahead, ${String(branch.divergence.behind)} behind`,
                  })),
                )
          }
          ${pagination(url, { ...request, total: found.total })}`,
      });
    },
  }),
  page({
    id: 'repositoryTags',
    summary: 'The tags',
    place: 'repository',
    path: '/tags',
    ...reading,
    query: shape(pageQuery),
    async run({ now }, { granted, query, url }) {
      const repository = granted.resource;
      const request = readPage(pageRules.capped(), query);
      const found = await (await useCases.tags(granted, request)).read();
      return new HtmlPage({
        title: 'Tags',
        width: 'wide',
        main: html`<h1>Tags</h1>
          ${
            found.items.length === 0
              ? empty('There is no tag yet', html`<pre>git tag v1.0.0 && git push origin v1.0.0</pre>`)
              : list(
                  found.items.map((tag) => ({
                    title: html`<a href="${treePath(repository, tag.name)}"><bdi>${tag.name}</bdi></a>`,
                    about: tag.annotation && html`<bdi>${tag.annotation.message.split('\n', 1)[0]}</bdi>`,
                    end: html`<a href="${commitPath(repository, tag.oid)}"><code>${tag.oid.slice(0, 7)}</code></a>
                      ${tag.annotation?.tagger !== undefined && time(tag.annotation.tagger.date, now)}`,
                  })),
                )
          }
          ${pagination(url, { ...request, total: found.total })}`,
      });
    },
  }),
];
