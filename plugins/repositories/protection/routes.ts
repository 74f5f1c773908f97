// The routes of branch protection.
import { api, changes, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { branchParams } from '../branches/schemas.ts';
import { presentProtection, protectionBody, protectionJson, wishedProtection } from './schemas.ts';

const path = '/repos/{owner}/{repo}/branches/{branch}/protection';

export const protectionRoutes = ({ protections }: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'protectionFetch',
    summary: 'The protection of a branch',
    method: 'GET',
    path,
    access: reads('repository', 'branch.protect', { anonymous: 401 }),
    scope: 'repo.admin',
    params: branchParams,
    result: protectionJson,
    run: async (_call, { granted, params }) => presentProtection(await protections.fetch(granted, params)),
  }),
  api({
    id: 'protectionSet',
    summary: 'Protect a branch, or replace its protection',
    method: 'PUT',
    path,
    access: changes('repository', 'branch.protect'),
    scope: 'repo.admin',
    params: branchParams,
    body: protectionBody,
    result: protectionJson,
    run: async (_call, { granted, params, body }) =>
      presentProtection(await protections.set(granted, { branch: params.branch, wished: wishedProtection(body) })),
  }),
  api({
    id: 'protectionDelete',
    summary: 'Remove the protection of a branch',
    method: 'DELETE',
    path,
    access: changes('repository', 'branch.protect'),
    scope: 'repo.admin',
    params: branchParams,
    result: 'empty',
    run: (_call, { granted, params }) => protections.delete(granted, params),
  }),
];
