// The routes of forks.
import { api, changes, pageRules, readPage, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import type { RepositoryPresenter } from '../repositories/present.ts';
import { repositoryJson, repositoryListJson } from '../repositories/schemas.ts';
import { forkBody, forkQuery } from './schemas.ts';

const path = '/repos/{owner}/{repo}/forks';

export const forkRoutes = (useCases: RepositoryUseCases, present: RepositoryPresenter): readonly Route[] => [
  api({
    id: 'forkList',
    summary: 'List the forks of a repository',
    method: 'GET',
    path,
    access: reads('repository', 'repo.read'),
    scope: 'repo.read',
    query: forkQuery,
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
