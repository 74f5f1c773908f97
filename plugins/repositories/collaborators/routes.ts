// The routes of collaborators: list, add or update, effective permissions, remove.
import { api, camelCased, changes, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { reading } from '../shapes.ts';
import {
  collaboratorBody,
  collaboratorListJson,
  collaboratorParams,
  effectivePermissionsJson,
  presentCollaborator,
  presentEffectivePermissions,
} from './schemas.ts';

export const collaboratorRoutes = ({ collaborators }: RepositoryUseCases): readonly Route[] => [
  api({
    id: 'collaboratorList',
    summary: 'List collaborators',
    method: 'GET',
    path: '/repos/{owner}/{repo}/collaborators',
    ...reading,
    result: collaboratorListJson,
    run: async (_call, { granted }) => (await collaborators.list(granted)).map(presentCollaborator),
  }),
  api({
    id: 'collaboratorPut',
    summary: 'Add a collaborator or change their role',
    method: 'PUT',
    path: '/repos/{owner}/{repo}/collaborators/{user}',
    access: changes('repository', 'repo.admin', { orAdminScope: 'admin:repo_roles' }),
    scope: 'repo.admin',
    params: collaboratorParams,
    body: collaboratorBody,
    result: 'empty',
    run: (_call, { granted, params, body }) =>
      collaborators.put(granted, { ...camelCased(body), username: params.user }),
  }),
  api({
    id: 'collaboratorPermissions',
    summary: 'Effective permissions of a collaborator',
    method: 'GET',
    path: '/repos/{owner}/{repo}/collaborators/{user}/permissions',
    ...reading,
    params: collaboratorParams,
    result: effectivePermissionsJson,
    run: async (_call, { granted, params }) =>
      presentEffectivePermissions(await collaborators.effective(granted, { username: params.user })),
  }),
  api({
    id: 'collaboratorRemove',
    summary: 'Remove a collaborator',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/collaborators/{user}',
    access: changes('repository', 'repo.own'),
    scope: 'repo.admin',
    params: collaboratorParams,
    result: 'empty',
    run: (_call, { granted, params }) => collaborators.remove(granted, { username: params.user }),
  }),
];
