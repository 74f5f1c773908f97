// Routes of document D, "Repositories": branch protection.
import { api, changes, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/index';
import { protectionJson as present, wishedProtection } from '../present-refs.ts';
import { branchPath, protectionBody, protectionJson } from '../schemas/refs.ts';

const path = '/repos/{owner}/{repo}/branches/{branch}/protection';

export const protectionRoutes = (useCases: () => RepositoryUseCases): readonly Route[] => [
  api({
    id: 'protectionFetch',
    summary: 'The protection of a branch',
    method: 'GET',
    path,
    access: reads('repository', 'branch.protect', { anonymous: 401 }),
    scope: 'repo.admin',
    meter: 'api.read',
    params: branchPath,
    result: protectionJson,
    run: async (_call, { granted, params }) => present(await useCases().protection(granted, params.branch)),
  }),
  api({
    id: 'protectionSet',
    summary: 'Protect a branch, or replace its protection',
    method: 'PUT',
    path,
    access: changes('repository', 'branch.protect'),
    scope: 'repo.admin',
    meter: 'api.write',
    params: branchPath,
    body: protectionBody,
    result: protectionJson,
    run: async (_call, { granted, params, body }) =>
      present(await useCases().protectBranch(granted, params.branch, wishedProtection(body))),
  }),
  api({
    id: 'protectionDelete',
    summary: 'Remove the protection of a branch',
    method: 'DELETE',
    path,
    access: changes('repository', 'branch.protect'),
    scope: 'repo.admin',
    meter: 'api.write',
    params: branchPath,
    success: 204,
    result: 'empty',
    run: (_call, { granted, params }) => useCases().unprotectBranch(granted, params.branch),
  }),
];
