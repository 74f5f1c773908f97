// The routes of repositories: list, create, fetch, update, delete.
import { anyone, api, camelCased, changes, readPage, reads, reply, signedIn, type Route } from 'hexforge/plugin';
import { listRule } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { revalidated } from '../conditional.ts';
import type { RepositoryPresenter } from './present.ts';
import {
  nameInUse,
  repositoryBody,
  repositoryChangeBody,
  repositoryDeletionBody,
  repositoryJson,
  repositoryListJson,
  repositoryListQuery,
} from './schemas.ts';

const owned = {
  path: '/repos/{owner}/{repo}',
  access: changes('repository', 'repo.own'),
  scope: 'repo.admin',
} as const;

export const repositoryRoutes = (useCases: RepositoryUseCases, present: RepositoryPresenter): readonly Route[] => [
  api({
    id: 'repositoryList',
    summary: 'List visible repositories',
    method: 'GET',
    path: '/repos',
    access: anyone,
    scope: 'repo.read',
    query: repositoryListQuery,
    result: repositoryListJson,
    statuses: [401],
    run: async (call, { query }) =>
      (await useCases.list(call, { ...query, ...readPage(listRule(query), query) })).items.map(present.item),
  }),
  api({
    id: 'repositoryCreate',
    summary: 'Create a repository',
    method: 'POST',
    path: '/repos',
    access: signedIn,
    scope: 'repo.write',
    body: repositoryBody,
    success: 201,
    result: repositoryJson,
    statuses: [403, 409, 422],
    async run(call, { body }) {
      const repository = await useCases.create(call, camelCased(body));
      return present.record(await useCases.record(call, { repository }));
    },
  }),
  api({
    id: 'repositoryFetch',
    summary: 'Fetch a repository',
    method: 'GET',
    path: '/repos/{owner}/{repo}',
    access: reads('counted-repository', 'repo.read'),
    scope: 'repo.read',
    result: repositoryJson,
    statuses: [304],
    async run(_call, { granted }) {
      return reply(present.record(await useCases.fetch(granted)), { headers: revalidated, etag: true });
    },
  }),
  api({
    id: 'repositoryUpdate',
    summary: 'Update a repository',
    method: 'PATCH',
    ...owned,
    body: repositoryChangeBody,
    result: repositoryJson,
    statuses: [409],
    errorMembers: nameInUse,
    async run(call, { granted, body }) {
      const repository = await useCases.update(granted, camelCased(body));
      return present.record(await useCases.record(call, { repository }));
    },
  }),
  api({
    id: 'repositoryDelete',
    summary: 'Delete a repository',
    method: 'DELETE',
    ...owned,
    body: repositoryDeletionBody,
    result: 'empty',
    run: (_call, { granted, body }) => useCases.delete(granted, body),
  }),
];
