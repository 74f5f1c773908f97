// A certified authorization server in this process, configured like ours, to compare answers with.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { callback, pkce, type Pkce } from '../flow.ts';

export const oracleClients = {
  confidential: { id: 'confidential', secret: 'a-secret-of-the-confidential-client' },
  other: { id: 'other', secret: 'a-secret-of-the-other-client' },
  open: { id: 'open', secret: undefined },
} as const;
/** The token that allows registering a client. */
export const oracleRegistrar = 'a-token-of-the-oracle-for-registration';

export interface Oracle {
  readonly url: string;
  /** A code as if a user had approved it. */
  code(clientId: string, scope?: string): Promise<{ readonly code: string; readonly keys: Pkce }>;
  /** The cookie of a user who signed in a minute ago and has granted nothing. */
  session(): Promise<string>;
  /** Denies the authorization as the user would. @param asked the oracle's answer to an authorization request. */
  deny(asked: Response, cookie: string): Promise<Response>;
  /** Runs the work while the oracle cannot find any account because of an internal fault. */
  broken<T>(work: () => Promise<T>): Promise<T>;
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

export async function startOracle(t: { teardown(work: () => Promise<void>): unknown }): Promise<Oracle> {
  const server = createServer();
  const url = `http://127.0.0.1:${await listening(server)}`;
  t.teardown(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  let fault = false;
  const grants = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code' as const] };
  const provider = new Provider(url, {
    clients: [
      ...[oracleClients.confidential, oracleClients.other].map(({ id, secret }) => ({
        client_id: id,
        client_secret: secret,
        redirect_uris: [callback],
        scope: 'openid offline_access',
        ...grants,
      })),
      {
        client_id: oracleClients.open.id,
        token_endpoint_auth_method: 'none' as const,
        redirect_uris: [callback],
        scope: 'openid offline_access',
        ...grants,
      },
    ],
    scopes: ['openid', 'offline_access', 'email', 'read:user'],
    findAccount: async (_ctx, id) => {
      if (fault) throw new Error('the accounts are out of reach');
      return { accountId: id, claims: async () => ({ sub: id }) };
    },
    // These options are set to the behaviour that our server always has.
    allowOmittingSingleRegisteredRedirectUri: false,
    enableHttpPostMethods: true,
    rotateRefreshToken: true,
    renderError: async (ctx, told) => {
      ctx.type = 'json';
      ctx.body = told;
    },
    issueRefreshToken: async () => true,
    pkce: { required: () => true },
    cookies: { keys: ['for a test'], long: { signed: false, sameSite: 'none' }, short: { signed: false } },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      revocation: { enabled: true },
      registration: { enabled: true, initialAccessToken: oracleRegistrar },
    },
  });
  provider.on('server_error', () => undefined);
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));
  return {
    url,
    async code(clientId, scope = 'openid offline_access') {
      const keys = pkce();
      const client = await provider.Client.find(clientId);
      const grant = new provider.Grant({ accountId: 'ada', clientId });
      grant.addOIDCScope(scope);
      const grantId = await grant.save();
      const code = new provider.AuthorizationCode({
        accountId: 'ada',
        client: client as NonNullable<typeof client>,
        grantId,
        gty: 'authorization_code',
        redirectUri: callback,
        scope,
        codeChallenge: keys.challenge,
        codeChallengeMethod: 'S256',
        authTime: Math.floor(Date.now() / 1000),
      });
      return { code: await code.save(), keys };
    },
    async session() {
      const session = new provider.Session();
      session.loginAccount({ accountId: 'ada', loginTs: Math.floor(Date.now() / 1000) - 60 });
      return `_session=${await session.save(3600)}`;
    },
    async deny(asked, cookie) {
      const uid = asked.headers.get('location')?.split('/').at(-1) ?? '';
      const interaction = await provider.Interaction.find(uid);
      if (interaction === undefined) throw new Error(`the oracle asks nothing: ${asked.status}`);
      interaction.result = { error: 'access_denied' };
      await interaction.save(60);
      return fetch(interaction.returnTo, {
        headers: { cookie: `${cookie}; _interaction_resume=${uid}` },
        redirect: 'manual',
      });
    },
    async broken(work) {
      fault = true;
      try {
        return await work();
      } finally {
        fault = false;
      }
    },
  };
}
