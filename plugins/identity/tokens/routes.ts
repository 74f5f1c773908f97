// The routes of personal access tokens. They require a session, so that a token can neither create nor list tokens.
import { api, pageRules, presentPage, readPage, reply, session } from 'hexforge/plugin';
import type { Route } from 'hexforge/plugin';
import type { IdentityUseCases } from '#core/identity/use-cases';
import { presentToken } from './present.ts';
import { createdTokenJson, newTokenBody, tokenPageJson, tokenParams, tokenQuery } from './schemas.ts';

const guarded = { access: session, scope: null } as const;

export const tokenRoutes = (useCases: IdentityUseCases): readonly Route[] => [
  api({
    ...guarded,
    id: 'tokenList',
    summary: 'The caller’s personal access tokens, newest first',
    method: 'GET',
    path: '/user/tokens',
    query: tokenQuery,
    result: tokenPageJson,
    run: async (call, { query }) =>
      presentPage(await useCases.tokens.list(call, readPage(pageRules.orDefault(), query)), presentToken),
  }),
  api({
    ...guarded,
    id: 'tokenCreate',
    summary: 'Create a personal access token',
    method: 'POST',
    path: '/user/tokens',
    body: newTokenBody,
    success: 201,
    result: createdTokenJson,
    async run(call, { body }) {
      const { name, scopes, expires_at: expiresAt } = body;
      const { token, secret } = await useCases.tokens.create(call, {
        name,
        scopes,
        expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : undefined,
      });
      return reply({ ...presentToken(token), token: secret }, { headers: { 'cache-control': 'no-store' } });
    },
  }),
  api({
    ...guarded,
    id: 'tokenDelete',
    summary: 'Revoke a personal access token',
    method: 'DELETE',
    path: '/user/tokens/{id}',
    params: tokenParams,
    result: 'empty',
    statuses: [404],
    run: (call, { params }) => useCases.tokens.revoke(call, params),
  }),
];
