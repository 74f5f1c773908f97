// The routes of tags.
import { api, pageRules, presentPage, readPage, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { derived } from '../conditional.ts';
import { writing } from '../shapes.ts';
import { createdTagJson, presentTag, tagBody, tagPageJson, tagParams, tagQuery } from './schemas.ts';

const path = '/repos/{owner}/{repo}/tags';

export const tagRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'tagList',
    summary: 'List tags',
    method: 'GET',
    path,
    access: reads('repository', 'repo.read', { anonymous: 401 }),
    scope: 'repo.read',
    query: tagQuery,
    result: tagPageJson,
    statuses: [304],
    sameForAll: true,
    run: async (_call, { granted, query }) =>
      derived(await useCases.tags(granted, readPage(pageRules.capped(), query)), (found) =>
        presentPage(found, presentTag),
      ),
  }),
  api({
    id: 'tagCreate',
    summary: 'Create a tag',
    method: 'POST',
    path,
    ...writing,
    body: tagBody,
    success: 201,
    result: createdTagJson,
    statuses: [409, 422],
    run: (_call, { granted, body }) => useCases.createTag(granted, body),
  }),
  api({
    id: 'tagDelete',
    summary: 'Delete a tag',
    method: 'DELETE',
    path: `${path}/{tag}`,
    ...writing,
    params: tagParams,
    result: 'empty',
    statuses: [503],
    run: (_call, { granted, params }) => useCases.deleteTag(granted, { name: params.tag }),
  }),
];
