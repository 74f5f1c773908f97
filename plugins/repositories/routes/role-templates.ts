// Routes of document D, "Repositories": role templates.
import { api, changes, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/index';
import * as present from '../present-people.ts';
import { repositoryPath } from '../schemas.ts';
import { templateCreateBody, templateJson, templateList, templatePath, templateUpdateBody } from '../schemas/people.ts';

const administered = { access: changes('repository', 'repo.admin'), scope: 'repo.admin' } as const;

export const roleTemplateRoutes = (useCases: () => RepositoryUseCases): readonly Route[] => [
  api({
    id: 'roleTemplateList',
    summary: 'List role templates',
    method: 'GET',
    path: '/repos/{owner}/{repo}/role-templates',
    ...administered,
    meter: 'api.read',
    params: repositoryPath,
    result: templateList,
    run: async (_call, { granted }) => (await useCases().roleTemplates(granted)).map(present.template),
  }),
  api({
    id: 'roleTemplateCreate',
    summary: 'Create a role template',
    method: 'POST',
    path: '/repos/{owner}/{repo}/role-templates',
    ...administered,
    meter: 'api.write',
    params: repositoryPath,
    body: templateCreateBody,
    success: 201,
    result: templateJson,
    statuses: [409],
    run: async (_call, { granted, body }) => present.template(await useCases().createRoleTemplate(granted, body)),
  }),
  api({
    id: 'roleTemplateUpdate',
    summary: 'Change a role template',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/role-templates/{id}',
    ...administered,
    meter: 'api.write',
    params: templatePath,
    body: templateUpdateBody,
    result: templateJson,
    statuses: [409],
    run: async (_call, { granted, params, body }) =>
      present.template(await useCases().updateRoleTemplate(granted, params.id, body)),
  }),
  api({
    id: 'roleTemplateDelete',
    summary: 'Delete a role template',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/role-templates/{id}',
    ...administered,
    meter: 'api.write',
    params: templatePath,
    success: 204,
    result: 'empty',
    run: (_call, { granted, params }) => useCases().deleteRoleTemplate(granted, params.id),
  }),
];
