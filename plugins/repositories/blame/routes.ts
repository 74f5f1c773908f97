// The route of blame: the commit and author of each line of a file.
import { api, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { derived } from '../conditional.ts';
import { fileAtRefParams } from '../shapes.ts';
import { presentBlame } from './present.ts';
import { blameJson } from './schemas.ts';

export const blameRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'repositoryBlame',
    summary: 'Blame',
    method: 'GET',
    path: '/repos/{owner}/{repo}/blame/{ref}/{path*}',
    access: reads('repository', 'repo.read'),
    scope: 'repo.read',
    params: fileAtRefParams,
    result: blameJson,
    statuses: [304, 422],
    sameForAll: true,
    run: async (_call, { granted, params: { ref, path } }) =>
      derived(await useCases.blame(granted, { target: `${ref}/${path}` }), presentBlame),
  }),
];
