// Routes of document B, "Repositories": tags.
import { api, changes, readPage, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/index';
import { pageJson, tagJson } from '../present-refs.ts';
import { repositoryPath } from '../schemas.ts';
import { createdTag, createTagBody, tagPage, tagPath, tagQuery } from '../schemas/refs.ts';
import { refPages } from './branches.ts';
import { derived } from './derived.ts';

export const tagRoutes = (useCases: () => RepositoryUseCases): readonly Route[] => [
  api({
    id: 'tagList',
    summary: 'List tags',
    method: 'GET',
    path: '/repos/{owner}/{repo}/tags',
    access: reads('repository', 'repo.read', { anonymous: 401 }),
    scope: 'repo.read',
    meter: 'api.read',
    params: repositoryPath,
    query: tagQuery,
    result: tagPage,
    statuses: [304],
    run: async (_call, { granted, query }) =>
      derived(await useCases().tags(granted, readPage(refPages, query)), (page) => pageJson(page, tagJson)),
  }),
  api({
    id: 'tagCreate',
    summary: 'Create a tag',
    method: 'POST',
    path: '/repos/{owner}/{repo}/tags',
    access: changes('repository', 'repo.write'),
    scope: 'repo.write',
    meter: 'api.write',
    params: repositoryPath,
    body: createTagBody,
    success: 201,
    result: createdTag,
    statuses: [409],
    run: (call, { granted, body }) => useCases().createTag(granted, call.caller, body),
  }),
  api({
    id: 'tagDelete',
    summary: 'Delete a tag',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/tags/{tag}',
    access: changes('repository', 'repo.write'),
    scope: 'repo.write',
    meter: 'api.write',
    params: tagPath,
    success: 204,
    result: 'empty',
    run: (_call, { granted, params }) => useCases().deleteTag(granted, params.tag),
  }),
];
