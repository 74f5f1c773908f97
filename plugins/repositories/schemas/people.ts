// Shapes of collaborators, role templates and forks (document B, "Collaborator item", and document D, "Repositories").
import { Joi, object } from 'hexforge/plugin';
import { visibilities, type Visibility } from '#core/repositories/index';
import type { RepositoryPath } from '../schemas.ts';
import { path, text, time } from './parts.ts';

const permissions = (): Joi.ArraySchema<string[]> => Joi.array<string[]>().items(Joi.string().max(100)).max(200);
const uuid = (): Joi.StringSchema => Joi.string().guid();
/** As it may come in: `guid` would take braces too. */
const uuidText = (): Joi.StringSchema =>
  Joi.string()
    .lowercase()
    .pattern(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/, 'uuid');

export interface CollaboratorPath extends RepositoryPath {
  readonly user: string;
}
export const collaboratorPath = object<CollaboratorPath>({
  ...path,
  user: Joi.string().required().description('A username'),
});

export interface CollaboratorBody {
  readonly role?: string;
  readonly permissions?: string[];
  readonly role_template_id?: string;
}
export const collaboratorBody = object<CollaboratorBody>({
  role: Joi.string().description(
    'read, triage, write, maintain, admin, or the name of a custom role beside permissions',
  ),
  permissions: permissions().description('Of a custom role'),
  role_template_id: uuidText().description('In place of a role: the permissions of the template are copied'),
}).id('CollaboratorPut');

export interface CollaboratorJson {
  readonly user: {
    readonly id: string;
    readonly username: string;
    readonly display_name: string;
    readonly avatar_url: string;
  };
  readonly role: string;
  readonly permissions: string[];
  readonly created_at: string;
}
const collaboratorJson = object<CollaboratorJson>({
  user: object<CollaboratorJson['user']>({
    id: uuid().required(),
    username: text(),
    display_name: text(),
    avatar_url: text(),
  }).required(),
  role: text(),
  permissions: permissions().required(),
  created_at: time(),
}).id('Collaborator');
export const collaboratorList = Joi.array<CollaboratorJson[]>().items(collaboratorJson);

export interface EffectivePermissionsJson {
  readonly role: string;
  readonly permissions: string[];
  readonly source: 'role' | 'template' | 'custom';
  readonly role_template_id?: string;
}
export const effectivePermissionsJson = object<EffectivePermissionsJson>({
  role: text(),
  permissions: permissions().required(),
  source: Joi.string().valid('role', 'template', 'custom').required(),
  role_template_id: uuid().description('Only where a role template was given'),
}).id('EffectivePermissions');

export interface TemplatePath extends RepositoryPath {
  readonly id: string;
}
export const templatePath = object<TemplatePath>({ ...path, id: uuidText().required() });

export interface TemplateCreateBody {
  readonly name: string;
  readonly permissions: string[];
}
export const templateCreateBody = object<TemplateCreateBody>({
  name: Joi.string().required(),
  permissions: permissions().required(),
}).id('RoleTemplateCreate');
export interface TemplateUpdateBody {
  readonly name?: string;
  readonly permissions?: string[];
}
export const templateUpdateBody = object<TemplateUpdateBody>({ name: Joi.string(), permissions: permissions() }).id(
  'RoleTemplateUpdate',
);

export interface TemplateJson {
  readonly id: string;
  readonly name: string;
  readonly permissions: string[];
  readonly created_at: string;
  readonly updated_at: string;
}
export const templateJson = object<TemplateJson>({
  id: uuid().required(),
  name: text(),
  permissions: permissions().required(),
  created_at: time(),
  updated_at: time(),
}).id('RoleTemplate');
export const templateList = Joi.array<TemplateJson[]>().items(templateJson);

export interface ForkBody {
  readonly name?: string;
  readonly description?: string;
  readonly visibility?: Visibility;
}
export const forkBody = object<ForkBody>({
  name: Joi.string().description("The parent's where it is absent"),
  description: Joi.string().allow('').max(1000),
  visibility: Joi.string()
    .valid(...visibilities)
    .description("At most the parent's, which it is where it is absent"),
}).id('ForkCreate');

export interface ForksQuery {
  readonly page?: string;
  readonly per_page?: string;
}
export const forksQuery = object<ForksQuery>({
  page: Joi.string().empty('').description('1-based; default 1'),
  per_page: Joi.string().empty('').description('1 to 100; default 25'),
});
