// Personal access tokens. A token may neither make nor see any: only a session may.
import { api, pageRules, readPage, reply, session } from 'hexforge/plugin';
import type { Route } from 'hexforge/plugin';
import type { IdentityUseCases } from '#core/identity/use-cases';
import * as present from '../present.ts';
import { createdTokenBody, idParams, newTokenBody, pageQuery, tokenPageBody } from '../schemas.ts';

export const tokenRoutes = (useCases: IdentityUseCases): readonly Route[] => [
  api({
    id: 'tokenList',
    summary: 'The caller’s personal access tokens, newest first',
    method: 'GET',
    path: '/user/tokens',
    access: session,
    scope: null,
    meter: 'api.read',
    query: pageQuery,
    result: tokenPageBody,
    run: async (call, { query }) =>
      present.tokenPage(await useCases.tokens.list(call, readPage(pageRules.orDefault(), query))),
  }),
  api({
    id: 'tokenCreate',
    summary: 'Create a personal access token',
    method: 'POST',
    path: '/user/tokens',
    access: session,
    scope: null,
    meter: 'api.write',
    body: newTokenBody,
    success: 201,
    result: createdTokenBody,
    async run(call, { body }) {
      const { name, scopes, expires_at: expiresAt } = body;
      const { token, secret } = await useCases.tokens.create(call, {
        name,
        scopes,
        expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : undefined,
      });
      return reply({ ...present.token(token), token: secret }, { headers: { 'cache-control': 'no-store' } });
    },
  }),
  api({
    id: 'tokenDelete',
    summary: 'Revoke a personal access token',
    method: 'DELETE',
    path: '/user/tokens/{id}',
    access: session,
    scope: null,
    meter: 'api.write',
    params: idParams,
    success: 204,
    result: 'empty',
    statuses: [404],
    run: (call, { params }) => useCases.tokens.revoke(call, params),
  }),
];
