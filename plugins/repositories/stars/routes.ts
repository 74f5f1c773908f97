// The routes of stars and watching. All of them are idempotent.
import { api, changes, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';

const starred = '/user/starred/{owner}/{repo}';
const subscription = '/repos/{owner}/{repo}/subscription';

export const starRoutes = (useCases: RepositoryUseCases): readonly Route[] =>
  (
    [
      ['starCheck', 'Whether you have starred a repository', 'GET', starred, useCases.checkStarred],
      ['star', 'Star a repository', 'PUT', starred, useCases.star],
      ['unstar', 'Take a star back', 'DELETE', starred, useCases.unstar],
      ['watch', 'Watch a repository', 'PUT', subscription, useCases.watch],
      ['unwatch', 'Stop watching a repository', 'DELETE', subscription, useCases.unwatch],
    ] as const
  ).map(([id, summary, method, path, run]) =>
    api({
      id,
      summary,
      method,
      path,
      access: changes('repository', 'repo.read'),
      scope: 'repo.read',
      result: 'empty',
      run: (_call, { granted }) => run(granted),
    }),
  );
