// The revocation endpoint (RFC 7009).
import { api, reply, shape, type Route } from 'hexforge/plugin';
import type { OAuthUseCases } from '#core/oauth/use-cases';
import { field, ofClients, proofFields, proofOf, uncached } from '../client-proof.ts';
import { oauthRefusals } from '../refusal.ts';

export const tokenReferenceForm = shape({
  ...proofFields,
  // Accepts a text of any length, so that an invalid token gets the same response as an unknown one.
  token: field(65_536),
  token_type_hint: field(),
}).id('TokenReference');

export const revocationRoutes = ({ revoke, open }: OAuthUseCases): readonly Route[] => [
  api({
    ...ofClients,
    ...oauthRefusals,
    open,
    id: 'oauthRevoke',
    summary: 'Revoke a token, whether or not there is such a one (RFC 7009)',
    path: '/oauth2/revoke',
    cors: true,
    body: tokenReferenceForm,
    success: 200,
    result: 'empty',
    async run(call, { body, header }) {
      await revoke(call, proofOf(header, body), body);
      return reply(undefined, { headers: uncached });
    },
  }),
];
