// The routes of role templates.
import { api, changes, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { presentTemplate } from './present.ts';
import { templateBody, templateChangeBody, templateJson, templateListJson } from './schemas.ts';

const administered = { access: changes('repository', 'repo.admin'), scope: 'repo.admin' } as const;

export const roleTemplateRoutes = (useCases: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'roleTemplateList',
    summary: 'List role templates',
    method: 'GET',
    path: '/repos/{owner}/{repo}/role-templates',
    ...administered,
    result: templateListJson,
    run: async (_call, { granted }) => (await useCases.roleTemplates(granted)).map(presentTemplate),
  }),
  api({
    id: 'roleTemplateCreate',
    summary: 'Create a role template',
    method: 'POST',
    path: '/repos/{owner}/{repo}/role-templates',
    ...administered,
    body: templateBody,
    success: 201,
    result: templateJson,
    statuses: [409],
    run: async (_call, { granted, body }) => presentTemplate(await useCases.createRoleTemplate(granted, body)),
  }),
  api({
    id: 'roleTemplateUpdate',
    summary: 'Change a role template',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/role-templates/{id}',
    ...administered,
    body: templateChangeBody,
    result: templateJson,
    statuses: [409],
    run: async (_call, { granted, params, body }) =>
      presentTemplate(await useCases.updateRoleTemplate(granted, { ...body, id: params.id })),
  }),
  api({
    id: 'roleTemplateDelete',
    summary: 'Delete a role template',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/role-templates/{id}',
    ...administered,
    result: 'empty',
    run: (_call, { granted, params }) => useCases.deleteRoleTemplate(granted, params),
  }),
];
