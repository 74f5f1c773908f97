// Routes of labels.
import { api, changes, pageQuery, pageRules, presentPage, readPage, reads, shape, type Route } from 'hexforge/plugin';
import type { LabelUseCases } from './labels.ts';
import { labelBody, labelChangeBody, labelJson, labelPageJson, presentLabel } from './schemas.ts';

const path = '/repos/{owner}/{repo}/labels';
const writing = { access: changes('repository', 'repo.write'), scope: 'repo.write' } as const;

export const labelRoutes = (labels: LabelUseCases): readonly Route[] => [
  api({
    id: 'labelsList',
    summary: 'List labels',
    method: 'GET',
    path,
    access: reads('repository', 'repo.read'),
    scope: 'repo.read',
    query: shape(pageQuery),
    result: labelPageJson,
    run: async (_call, { granted, query }) =>
      presentPage(await labels.list(granted, readPage(pageRules.orDefault(), query)), presentLabel),
  }),
  api({
    ...writing,
    id: 'labelsCreate',
    summary: 'Create a label',
    method: 'POST',
    path,
    body: labelBody,
    success: 201,
    result: labelJson,
    statuses: [409],
    run: async (_call, { granted, body }) => presentLabel(await labels.create(granted, body)),
  }),
  api({
    ...writing,
    id: 'labelsUpdate',
    summary: 'Change a label',
    method: 'PATCH',
    path: `${path}/{id}`,
    body: labelChangeBody,
    result: labelJson,
    statuses: [409],
    run: async (_call, { granted, params, body }) =>
      presentLabel(await labels.update(granted, { ...body, id: params.id })),
  }),
  api({
    ...writing,
    id: 'labelsDelete',
    summary: 'Delete a label',
    method: 'DELETE',
    path: `${path}/{id}`,
    result: 'empty',
    run: (_call, { granted, params }) => labels.delete(granted, params).then(() => undefined),
  }),
];
