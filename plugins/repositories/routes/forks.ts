// Routes of document D, "Repositories": forking, and the forks of a repository.
import { api, changes, pageRules, readPage, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/index';
import type { Presenter } from '../present.ts';
import { repositoryJson, repositoryList, repositoryPath } from '../schemas.ts';
import { forkBody, forksQuery } from '../schemas/people.ts';

const path = '/repos/{owner}/{repo}/forks';

export const forkRoutes = (useCases: () => RepositoryUseCases, present: () => Presenter): readonly Route[] => [
  api({
    id: 'forkList',
    summary: 'List the forks of a repository',
    method: 'GET',
    path,
    access: reads('repository', 'repo.read'),
    scope: 'repo.read',
    meter: 'api.read',
    params: repositoryPath,
    query: forksQuery,
    result: repositoryList,
    run: async (_call, { granted, query }) =>
      (await useCases().forks(granted, readPage(pageRules.orDefault(), query))).map(present().item),
  }),
  api({
    id: 'forkCreate',
    summary: 'Fork a repository',
    method: 'POST',
    path,
    // The fork is the caller's own: what they need on the parent is to read it.
    access: changes('repository', 'repo.read'),
    scope: 'repo.write',
    meter: 'api.write',
    params: repositoryPath,
    body: forkBody,
    success: 201,
    result: repositoryJson,
    statuses: [409],
    run: async (call, { granted, body }) =>
      present().record(await useCases().recordOf(await useCases().fork(call, granted, body), call.caller)),
  }),
];
