// The pages of forks: the list, and the form that makes one.
import {
  changes,
  form,
  html,
  HtmlPage,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  type WebPage,
} from 'hexforge/plugin';
import { button, empty, field, formError, linkButton, pagination, select } from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { repositoryList } from '../pages/explore.ts';
import { asContent, visibilityChoices } from '../pages/forms.ts';
import { repositoryPath, within } from '../pages/links.ts';
import { reading } from '../shapes.ts';
import { forkBody } from './routes.ts';

const forking = { place: 'repository', access: changes('repository', 'repo.read'), scope: 'repo.write' } as const;

export const forkPages = (useCases: RepositoryUseCases): readonly WebPage[] => [
  page({
    id: 'repositoryForks',
    summary: 'The forks that the caller can read',
    place: 'repository',
    path: '/forks',
    ...reading,
    query: shape(pageQuery),
    async run({ now, caller }, { granted, query, url }) {
      const repository = granted.resource;
      const request = readPage(pageRules.orDefault(), query);
      const found = await useCases.forks(granted, request);
      return new HtmlPage({
        title: 'Forks',
        width: 'wide',
        main: html`<div class="bar">
            <h1 class="grow">Forks</h1>
            ${caller.kind === 'user' && linkButton('Fork', within(repository, 'fork'), { kind: 'primary' })}
          </div>
          ${
            found.length > 0
              ? repositoryList(found, now)
              : empty('There is no fork that you can read', 'A fork is a copy in which you can push.')
          }
          ${pagination(url, { ...request, more: found.length === request.perPage })}`,
      });
    },
  }),
  page({
    ...forking,
    id: 'repositoryFork',
    summary: 'The form that makes a fork',
    path: '/fork',
    run({ caller }, { granted, refused }) {
      const repository = granted.resource;
      return new HtmlPage({
        title: 'Fork',
        width: 'wide',
        main: html`<h1>Fork <bdi>${repository.owner}/${repository.name}</bdi></h1>
          <p class="muted">A copy of its branches and tags, owned by you.</p>
          <form class="form" method="post" action="${within(repository, 'fork')}">
            ${formError(refused, 'repositoryForkForm', 'name', 'description', 'visibility')}
            ${field({
              label: 'Name',
              name: 'name',
              value: repository.name,
              hint: `The address will be /${caller.username}/name.`,
              required: true,
              autocomplete: 'off',
              refused,
            })}
            ${field({ label: 'Description', name: 'description', value: repository.description, refused })}
            ${select({
              label: 'Who can read it',
              name: 'visibility',
              value: repository.visibility,
              choices: visibilityChoices(repository.visibility),
              refused,
            })}
            <div class="actions">
              ${button('Create fork', { kind: 'primary' })} ${linkButton('Cancel', repositoryPath(repository))}
            </div>
          </form>`,
      });
    },
    forms: [
      form({
        ...forking,
        id: 'repositoryForkForm',
        summary: 'Forks a repository',
        path: '/fork',
        body: forkBody,
        // An empty field is absent.
        run: async (_call, { granted, body }) =>
          repositoryPath(await asContent(() => useCases.fork(granted, { description: '', ...body }))),
      }),
    ],
  }),
];
