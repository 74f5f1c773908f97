// The JSON shapes of collaborators.
import { list, maybe, oneOf, presenter, shape, text, time, userShape, uuid, word } from 'hexforge/plugin';
import type { Collaborator } from 'hexforge/repositories';
import { permissions } from '../role-templates/schemas.ts';
import { inRepository } from '../shapes.ts';

export const collaboratorParams = shape({ ...inRepository, user: word().description('A username') });

export const collaboratorBody = shape({
  role: maybe(
    word().description('read, triage, write, maintain, admin, or the name of a custom role beside permissions'),
  ),
  permissions: maybe(permissions().description('Of a custom role')),
  role_template_id: maybe(uuid().description('In place of a role: the permissions of the template are copied')),
}).id('CollaboratorPut');

const collaboratorJson = shape({
  user: userShape(),
  role: text(),
  permissions: permissions(),
  created_at: time(),
}).id('Collaborator');

export const collaboratorListJson = list(collaboratorJson);

const present = presenter(collaboratorJson);
export const presentCollaborator = ({ collaboration, ...rest }: Collaborator) => present({ ...rest, ...collaboration });

export const effectivePermissionsJson = shape({
  role: text(),
  permissions: permissions(),
  source: oneOf('role', 'template', 'custom'),
  role_template_id: maybe(uuid().description('Only where a role template was given')),
}).id('EffectivePermissions');
export const presentEffectivePermissions = presenter(effectivePermissionsJson);
