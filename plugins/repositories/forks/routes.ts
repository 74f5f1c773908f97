// The routes of forks.
import { api, changes, maybe, oneOf, pageQuery, pageRules, readPage, shape, text, word } from 'hexforge/plugin';
import type { Route } from 'hexforge/plugin';
import { visibilities } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import type { RepositoryPresenter } from '../repositories/present.ts';
import { repositoryJson, repositoryListJson } from '../repositories/schemas.ts';
import { reading } from '../shapes.ts';

const path = '/repos/{owner}/{repo}/forks';

export const forkBody = shape({
  name: maybe(word().description("The parent's where it is absent")),
  description: maybe(text().max(1000)),
  visibility: maybe(oneOf(...visibilities).description("At most the parent's, which it is where it is absent")),
}).id('ForkCreate');

export const forkRoutes = (useCases: RepositoryUseCases, present: RepositoryPresenter): readonly Route[] => [
  api({
    id: 'forkList',
    summary: 'List the forks of a repository',
    method: 'GET',
    path,
    ...reading,
    query: shape(pageQuery),
    result: repositoryListJson,
    run: async (_call, { granted, query }) =>
      (await useCases.forks(granted, readPage(pageRules.orDefault(), query))).map(present.item),
  }),
  api({
    id: 'forkCreate',
    summary: 'Fork a repository',
    method: 'POST',
    path,
    // The fork belongs to the caller, so reading the parent is enough.
    access: changes('repository', 'repo.read'),
    scope: 'repo.write',
    body: forkBody,
    success: 201,
    result: repositoryJson,
    statuses: [409, 422],
    run: async (call, { granted, body }) =>
      present.record(await useCases.record(call, { repository: await useCases.fork(granted, body) })),
  }),
];
