// The routes of personal access tokens. They require a session, so that a token can neither create nor list tokens.
import { api, operations, reply, session, type Route } from 'hexforge/plugin';
import type { IdentityUseCases } from '#core/identity/use-cases';
import { createdTokenJson, newTokenBody, presentToken, tokenJson } from './schemas.ts';

const guarded = { access: session, scope: null } as const;
const path = '/user/tokens';
const token = operations({
  noun: 'token',
  path,
  reading: guarded,
  writing: guarded,
  json: tokenJson,
  present: presentToken,
});

export const tokenRoutes = ({ tokens }: IdentityUseCases): readonly Route[] => [
  token.page({ summary: 'The caller’s personal access tokens, newest first', run: tokens.list }),
  api({
    ...guarded,
    id: 'tokenCreate',
    summary: 'Create a personal access token',
    method: 'POST',
    path,
    body: newTokenBody,
    success: 201,
    result: createdTokenJson,
    async run(call, { body: { name, scopes, expires_at: expires } }) {
      const expiresAt = typeof expires === 'string' ? new Date(expires) : undefined;
      const created = await tokens.create(call, { name, scopes, expiresAt });
      const json = { ...presentToken(created.token), token: created.secret };
      return reply(json, { headers: { 'cache-control': 'no-store' } });
    },
  }),
  token.delete({ summary: 'Revoke a personal access token', statuses: [404], run: tokens.revoke }),
];
