// The routes of branches.
import { api, camelCased, pageRules, presentPage, readPage, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { derived } from '../conditional.ts';
import { writing } from '../shapes.ts';
import {
  branchBody,
  branchPageJson,
  branchParams,
  branchQuery,
  createdBranchJson,
  presentBranch,
  presentCreatedBranch,
} from './schemas.ts';

const path = '/repos/{owner}/{repo}/branches';

export const branchRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'branchList',
    summary: 'List branches',
    method: 'GET',
    path,
    // Anonymous callers get 401 for private, internal and missing repositories alike.
    access: reads('repository', 'repo.read', { anonymous: 401 }),
    scope: 'repo.read',
    query: branchQuery,
    result: branchPageJson,
    statuses: [304, 422],
    sameForAll: true,
    async run(_call, { granted, query: { include_divergence: includeDivergence, sort, order, ...page } }) {
      const query = { ...readPage(pageRules.capped(), page), includeDivergence, sort, order };
      return derived(await useCases.branches(granted, query), (found) => presentPage(found, presentBranch));
    },
  }),
  api({
    id: 'branchCreate',
    summary: 'Create a branch',
    method: 'POST',
    path,
    ...writing,
    body: branchBody,
    success: 201,
    result: createdBranchJson,
    statuses: [409, 422],
    run: async (_call, { granted, body }) =>
      presentCreatedBranch(await useCases.createBranch(granted, camelCased(body))),
  }),
  api({
    id: 'branchDelete',
    summary: 'Delete a branch',
    method: 'DELETE',
    path: `${path}/{branch}`,
    ...writing,
    params: branchParams,
    result: 'empty',
    statuses: [400, 503],
    run: (_call, { granted, params }) => useCases.deleteBranch(granted, { name: params.branch }),
  }),
];
