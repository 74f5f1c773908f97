// A certified OpenID provider in this process, whose only user signs in and consents without being asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type JWK } from 'oidc-provider';
import { signingKey } from './openid-provider.ts';

export interface OidcServer {
  readonly issuer: string;
  /** Registers the only client. Called once. */
  serve(client: { readonly id: string; readonly secret: string; readonly redirectUri: string }): void;
  stop(): void;
}

const claims = { name: 'Ada Lovelace', preferred_username: 'ada', email: 'ada@example.com', email_verified: true };

export async function startOidcServer(): Promise<OidcServer> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    serve({ id, secret, redirectUri }) {
      const provider = newProvider(issuer, { client_id: id, client_secret: secret, redirect_uris: [redirectUri] });
      const answer = provider.callback();
      server.on('request', (request, response) => {
        if (request.url?.startsWith('/interaction/') === true)
          void approve(provider, request, response).catch(() => response.destroy());
        else void answer(request, response);
      });
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const newProvider = (
  issuer: string,
  client: { readonly client_id: string; readonly client_secret: string; readonly redirect_uris: string[] },
): Provider =>
  new Provider(issuer, {
    clients: [client],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    findAccount: async (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId, ...claims }) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    cookies: { keys: ['for a test'] },
    jwks: {
      keys: (['RS256', 'ES256'] as const).map((alg): JWK => {
        const { key, kid } = signingKey(alg);
        return { ...key.export({ format: 'jwk' }), kid, alg, use: 'sig' } as JWK;
      }),
    },
  });

async function approve(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login')
    return provider.interactionFinished(request, response, { login: { accountId: 'account-1' } });
  const grant = new provider.Grant({
    accountId: session?.accountId ?? '',
    clientId: String(params['client_id']),
  });
  grant.addOIDCScope('openid profile email');
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}
