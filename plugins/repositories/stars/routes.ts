// The routes of stars and watching. All of them are idempotent.
import { api, changes, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';

const starred = '/user/starred/{owner}/{repo}';
const subscription = '/repos/{owner}/{repo}/subscription';
const own = {
  access: changes('repository', 'repo.read'),
  scope: 'repo.read',
  result: 'empty',
} as const;

export const starRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    ...own,
    id: 'starCheck',
    summary: 'Whether you have starred a repository',
    method: 'GET',
    path: starred,
    run: (_call, { granted }) => useCases.checkStarred(granted),
  }),
  api({
    ...own,
    id: 'star',
    summary: 'Star a repository',
    method: 'PUT',
    path: starred,
    run: (_call, { granted }) => useCases.star(granted),
  }),
  api({
    ...own,
    id: 'unstar',
    summary: 'Take a star back',
    method: 'DELETE',
    path: starred,
    run: (_call, { granted }) => useCases.unstar(granted),
  }),
  api({
    ...own,
    id: 'watch',
    summary: 'Watch a repository',
    method: 'PUT',
    path: subscription,
    run: (_call, { granted }) => useCases.watch(granted),
  }),
  api({
    ...own,
    id: 'unwatch',
    summary: 'Stop watching a repository',
    method: 'DELETE',
    path: subscription,
    run: (_call, { granted }) => useCases.unwatch(granted),
  }),
];
