// Routes of document D, "Repositories": stars and watching. Each may be repeated.
import { api, changes, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { repositoryParams } from '../shapes.ts';

const starred = '/user/starred/{owner}/{repo}';
const subscription = '/repos/{owner}/{repo}/subscription';
const own = {
  access: changes('repository', 'repo.read'),
  scope: 'repo.read',
  params: repositoryParams,
  success: 204,
  result: 'empty',
} as const;

export const starRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    ...own,
    id: 'starCheck',
    summary: 'Whether you have starred a repository',
    method: 'GET',
    path: starred,
    meter: 'api.read',
    run: (_call, { granted }) => useCases.checkStarred(granted),
  }),
  api({
    ...own,
    id: 'star',
    summary: 'Star a repository',
    method: 'PUT',
    path: starred,
    meter: 'api.write',
    run: (_call, { granted }) => useCases.star(granted),
  }),
  api({
    ...own,
    id: 'unstar',
    summary: 'Take a star back',
    method: 'DELETE',
    path: starred,
    meter: 'api.write',
    run: (_call, { granted }) => useCases.unstar(granted),
  }),
  api({
    ...own,
    id: 'watch',
    summary: 'Watch a repository',
    method: 'PUT',
    path: subscription,
    meter: 'api.write',
    run: (_call, { granted }) => useCases.watch(granted),
  }),
  api({
    ...own,
    id: 'unwatch',
    summary: 'Stop watching a repository',
    method: 'DELETE',
    path: subscription,
    meter: 'api.write',
    run: (_call, { granted }) => useCases.unwatch(granted),
  }),
];
