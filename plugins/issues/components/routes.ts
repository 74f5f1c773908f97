// Routes of components (document D, "Issues").
import { api, changes, pageQuery, pageRules, presentPage, readPage, reads, shape, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { componentBody, componentChangeBody, componentJson, componentPageJson, presentComponent } from './schemas.ts';

const path = '/repos/{owner}/{repo}/components';
const writing = { access: changes('repository', 'issue.write'), scope: 'issue.write' } as const;

export const componentRoutes = ({ components }: IssueUseCases): readonly Route[] => [
  api({
    id: 'componentList',
    summary: 'List components',
    method: 'GET',
    path,
    access: reads('repository', 'issue.read'),
    scope: 'issue.read',
    query: shape(pageQuery),
    result: componentPageJson,
    run: async (_call, { granted, query }) =>
      presentPage(await components.list(granted, readPage(pageRules.orDefault(), query)), presentComponent),
  }),
  api({
    ...writing,
    id: 'componentCreate',
    summary: 'Create a component',
    method: 'POST',
    path,
    body: componentBody,
    success: 201,
    result: componentJson,
    statuses: [409],
    run: async (_call, { granted, body }) => presentComponent(await components.create(granted, body)),
  }),
  api({
    ...writing,
    id: 'componentUpdate',
    summary: 'Change a component',
    method: 'PATCH',
    path: `${path}/{id}`,
    body: componentChangeBody,
    result: componentJson,
    statuses: [409],
    run: async (_call, { granted, params, body }) =>
      presentComponent(await components.update(granted, { id: params.id, patch: body })),
  }),
  api({
    ...writing,
    id: 'componentDelete',
    summary: 'Delete a component',
    method: 'DELETE',
    path: `${path}/{id}`,
    result: 'empty',
    run: (_call, { granted, params }) => components.delete(granted, params),
  }),
];
