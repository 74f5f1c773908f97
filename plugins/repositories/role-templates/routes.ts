// The routes of role templates.
import { changes, operations, presenter, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { templateBody, templateChangeBody, templateJson } from './schemas.ts';

const administered = { access: changes('repository', 'repo.admin'), scope: 'repo.admin' } as const;

const roleTemplate = operations({
  noun: 'role template',
  id: 'roleTemplate',
  path: '/repos/{owner}/{repo}/role-templates',
  reading: administered,
  writing: administered,
  json: templateJson,
  present: presenter(templateJson),
});

export const roleTemplateRoutes = ({ roleTemplates }: RepositoryUseCases): readonly Route[] => [
  roleTemplate.list({ run: roleTemplates.list }),
  roleTemplate.create({ body: templateBody, statuses: [409], run: roleTemplates.create }),
  roleTemplate.update({ body: templateChangeBody, statuses: [409], run: roleTemplates.update }),
  roleTemplate.delete({ run: roleTemplates.delete }),
];
