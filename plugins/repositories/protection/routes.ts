// The routes of branch protection.
import { api, changes, reads, type Route } from 'hexforge/plugin';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { branchParams } from '../branches/schemas.ts';
import { presentProtection, protectionBody, protectionJson, wishedProtection } from './schemas.ts';

const protection = {
  path: '/repos/{owner}/{repo}/branches/{branch}/protection',
  params: branchParams,
  scope: 'repo.admin',
} as const;

export const protectionRoutes = ({ protections }: RepositoryUseCases): readonly Route[] => [
  api({
    ...protection,
    id: 'protectionFetch',
    summary: 'The protection of a branch',
    method: 'GET',
    access: reads('repository', 'branch.protect', { anonymous: 401 }),
    result: protectionJson,
    run: async (_call, { granted, params }) => presentProtection(await protections.fetch(granted, params)),
  }),
  api({
    ...protection,
    id: 'protectionSet',
    summary: 'Protect a branch, or replace its protection',
    method: 'PUT',
    access: changes('repository', 'branch.protect'),
    body: protectionBody,
    result: protectionJson,
    run: async (_call, { granted, params, body }) =>
      presentProtection(await protections.set(granted, { branch: params.branch, wished: wishedProtection(body) })),
  }),
  api({
    ...protection,
    id: 'protectionDelete',
    summary: 'Remove the protection of a branch',
    method: 'DELETE',
    access: changes('repository', 'branch.protect'),
    result: 'empty',
    run: (_call, { granted, params }) => protections.delete(granted, params),
  }),
];
