// Routes of versions (document D, "Issues").
import { api, changes, pageQuery, pageRules, presentPage, readPage, reads, shape, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import {
  versionBody,
  versionChangeBody,
  versionJson,
  versionPageJson,
  presentVersion,
  readVersion,
  readVersionChange,
} from './schemas.ts';

const path = '/repos/{owner}/{repo}/versions';
const writing = { access: changes('repository', 'issue.write'), scope: 'issue.write' } as const;

export const versionRoutes = ({ versions }: IssueUseCases): readonly Route[] => [
  api({
    id: 'versionList',
    summary: 'List versions',
    method: 'GET',
    path,
    access: reads('repository', 'issue.read'),
    scope: 'issue.read',
    query: shape(pageQuery),
    result: versionPageJson,
    run: async (_call, { granted, query }) =>
      presentPage(await versions.list(granted, readPage(pageRules.orDefault(), query)), presentVersion),
  }),
  api({
    ...writing,
    id: 'versionCreate',
    summary: 'Create a version',
    method: 'POST',
    path,
    body: versionBody,
    success: 201,
    result: versionJson,
    statuses: [409],
    run: async (_call, { granted, body }) => presentVersion(await versions.create(granted, readVersion(body))),
  }),
  api({
    ...writing,
    id: 'versionUpdate',
    summary: 'Change a version',
    method: 'PATCH',
    path: `${path}/{id}`,
    body: versionChangeBody,
    result: versionJson,
    statuses: [409],
    run: async (_call, { granted, params, body }) =>
      presentVersion(await versions.update(granted, { id: params.id, patch: readVersionChange(body) })),
  }),
  api({
    ...writing,
    id: 'versionDelete',
    summary: 'Delete a version',
    method: 'DELETE',
    path: `${path}/{id}`,
    result: 'empty',
    run: (_call, { granted, params }) => versions.delete(granted, params),
  }),
];
