// The pages of the history: commits of a ref, and one commit with its changes.
import { html, HtmlPage, maybe, moment, page, pageQuery, readPage, pageRules, shape, word } from 'hexforge/plugin';
import type { Html, WebPage } from 'hexforge/plugin';
import { empty, filterBar, linkButton, pagination, searchField, time } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { reading } from '../shapes.ts';
import { commitParams } from './schemas.ts';
import { changedFiles, viewQuery } from './changed-files.ts';
import { commitRows } from './commit-rows.ts';
import { linkedTexts, messageParts } from '../pages/commit-texts.ts';
import { bar } from '../pages/folder-view.ts';
import { commitPath, commitsPath, treePath } from '../pages/links.ts';
import type { Texts } from '../pages/texts.ts';

const perPage = 30;

const day = () => maybe(word().empty('').max(64));
const filters = shape({ ...pageQuery, author: maybe(word().empty('')), since: day(), until: day() });

const dateField = (label: string, name: string, value = ''): Html =>
  html`<label class="inline">${label} <input type="date" name="${name}" value="${value}" /></label>`;

export const historyPages = (useCases: RepositoryUseCases, texts: Texts): readonly WebPage[] => [
  page({
    id: 'repositoryCommits',
    summary: 'The commits of a ref, or those that changed a path',
    place: 'repository',
    path: '/commits/{target*}',
    ...reading,
    query: filters,
    async run({ now }, { granted, params, query: { author, since, until, ...query }, url }) {
      const repository = granted.resource;
      const { ref, path } = await useCases.locate(granted, { target: params.target });
      const { page: number } = readPage(pageRules.capped(), query);
      const found = await useCases.commits(granted, {
        ref,
        author,
        since: moment('since', since, '00:00:00Z'),
        until: moment('until', until, '23:59:59Z'),
        page: number,
        perPage,
        ...(path !== '' && { path }),
      });
      const { items } = await found.read();
      const here = commitsPath(repository, ref, path);
      const filtered = author !== undefined || since !== undefined || until !== undefined;
      return new HtmlPage({
        title: path === '' ? `Commits of ${ref}` : `History of ${path}`,
        width: 'wide',
        main: html`<h1>${path === '' ? 'Commits' : 'History'}</h1>
          ${bar(
            { repository, ref, path, now, kind: 'commits' },
            path !== '' && html`<a href="${commitsPath(repository, ref)}">History of all files</a>`,
          )}
          ${filterBar(here, [
            searchField('Author', 'author', author ?? ''),
            dateField('From', 'since', since),
            dateField('to', 'until', until),
          ])}
          ${
            items.length > 0
              ? await commitRows(texts, granted, items, now)
              : empty('There are no commits here', filtered && html`<a href="${here}">Without the filter</a>`)
          }
          ${pagination(url, { page: number, perPage, more: items.length === perPage })}`,
      });
    },
  }),
  page({
    id: 'repositoryCommit',
    summary: 'One commit with its changes',
    place: 'repository',
    path: '/commit/{ref*}',
    ...reading,
    params: commitParams,
    query: shape(viewQuery),
    async run({ now }, { granted, params, query: { view }, url }) {
      const repository = granted.resource;
      const { commit, difference } = await (await useCases.commit(granted, { revision: params.ref })).read();
      const { author, committer } = commit;
      const { subject, body } = messageParts(commit.message);
      const [title, text] = await linkedTexts(texts, granted, [{ text: subject }, { text: body }]);
      return new HtmlPage({
        title: subject,
        width: 'wide',
        main: html`<div class="bar">
            <h1 class="grow"><bdi>${title}</bdi></h1>
            ${linkButton('Files', treePath(repository, commit.oid))}
          </div>
          ${body !== '' && html`<pre class="text message"><bdi>${text}</bdi></pre>`}
          <p class="muted">
            <b><bdi>${author.name}</bdi></b> wrote it
            ${time(author.date, now)}${
              committer.name !== author.name &&
              html`, <b><bdi>${committer.name}</bdi></b> committed it ${time(committer.date, now)}`
            }
            · <code>${commit.oid}</code>
            ${commit.parents.map(
              (oid) => html`· parent <a href="${commitPath(repository, oid)}"><code>${oid.slice(0, 7)}</code></a> `,
            )}
          </p>
          ${await changedFiles(difference, { repository, ref: commit.oid, view, url })}`,
      });
    },
  }),
];
