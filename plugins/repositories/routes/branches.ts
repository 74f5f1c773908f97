// Routes of document B, "Repositories": branches.
import { api, changes, pageRules, readPage, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/index';
import { branchJson, pageJson } from '../present-refs.ts';
import { repositoryPath } from '../schemas.ts';
import { branchPage, branchPath, branchQuery, createBranchBody, createdBranch } from '../schemas/refs.ts';
import { derived } from './derived.ts';

/** Document B, "Limits": branch and tag list per_page. */
export const refPages = pageRules.capped(25, 100);

export const branchRoutes = (useCases: () => RepositoryUseCases): readonly Route[] => [
  api({
    id: 'branchList',
    summary: 'List branches',
    method: 'GET',
    path: '/repos/{owner}/{repo}/branches',
    // Document D: anonymous gets 401 for private, internal and missing repositories alike.
    access: reads('repository', 'repo.read', { anonymous: 401 }),
    scope: 'repo.read',
    meter: 'api.read',
    params: repositoryPath,
    query: branchQuery,
    result: branchPage,
    statuses: [304],
    async run(_call, { granted, query }) {
      const { include_divergence: includeDivergence, sort, order } = query;
      return derived(
        await useCases().branches(granted, { ...readPage(refPages, query), includeDivergence, sort, order }),
        (page) => pageJson(page, branchJson),
      );
    },
  }),
  api({
    id: 'branchCreate',
    summary: 'Create a branch',
    method: 'POST',
    path: '/repos/{owner}/{repo}/branches',
    access: changes('repository', 'repo.write'),
    scope: 'repo.write',
    meter: 'api.write',
    params: repositoryPath,
    body: createBranchBody,
    success: 201,
    result: createdBranch,
    statuses: [409],
    async run(_call, { granted, body }) {
      const { name, baseRef } = await useCases().createBranch(granted, { name: body.name, baseRef: body.base_ref });
      return { name, base_ref: baseRef };
    },
  }),
  api({
    id: 'branchDelete',
    summary: 'Delete a branch',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/branches/{branch}',
    access: changes('repository', 'repo.write'),
    scope: 'repo.write',
    meter: 'api.write',
    params: branchPath,
    success: 204,
    result: 'empty',
    statuses: [400, 503],
    run: (call, { granted, params }) => useCases().deleteBranch(granted, call.caller, params.branch),
  }),
];
