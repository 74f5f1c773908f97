// Tests of unmodified client libraries against the running server: openid-client and oauth4webapi, public and
// confidential.
import * as oauth from 'oauth4webapi';
import * as oidc from 'openid-client';
import t from 'tap';
import { startTestForge, type TestForge } from '#test/support/forge';
import { makeApp, paths, setSetting, type App } from './flow.ts';
import type { Client } from '#test/support/clients/client';

const scope = 'openid profile email read:user';

/** Acts as the browser: opens the consent page, approves, and returns the callback URL. */
async function consent(user: Client, url: URL): Promise<URL> {
  const asked = await user.get(`${paths.authorize}${url.search}`);
  if (asked.status !== 200) throw new Error(`consent answered ${asked.status}: ${asked.text}`);
  const answer = await user.post(`${paths.authorize}${url.search}`, {
    raw: 'decision=allow',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  return new URL((answer.body as { redirect_url: string }).redirect_url);
}

async function withOpenidClient(forge: TestForge, user: Client, app: App, authentication: oidc.ClientAuth) {
  const config = await oidc.discovery(new URL(forge.url), app.clientId, {}, authentication, {
    execute: [oidc.allowInsecureRequests],
  });
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: app.redirectUri,
    scope,
    state,
    nonce,
    max_age: '3600',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const tokens = await oidc.authorizationCodeGrant(config, await consent(user, url), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    maxAge: 3600,
    idTokenExpected: true,
  });
  return { config, tokens };
}

void t.test(
  'openid-client: discovery, code with PKCE, ID token, userinfo, refresh, introspection, revocation',
  async (t) => {
    const forge = await startTestForge(t);
    const visitor = await forge.createUser('visitor');
    for (const [what, confidential, method] of [
      ['client_secret_basic', true, oidc.ClientSecretBasic],
      ['client_secret_post', true, oidc.ClientSecretPost],
      ['public', false, () => oidc.None()],
    ] as const) {
      const app = await makeApp(visitor.client, { confidential });
      const { config, tokens } = await withOpenidClient(forge, visitor.client, app, method(app.secret));
      const claims = tokens.claims();
      t.match(
        claims,
        {
          iss: forge.url,
          sub: visitor.id,
          aud: app.clientId,
          preferred_username: 'visitor',
          email: 'visitor@example.com',
        },
        what,
      );
      const info = await oidc.fetchUserInfo(config, tokens.access_token, visitor.id);
      t.equal(info.email_verified, true);
      const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
      t.strictSame([next.claims()?.sub, next.claims()?.nonce], [visitor.id, undefined]);
      t.equal(next.claims()?.['auth_time'], claims?.['auth_time'], 'the same sign-in');
      if (confidential) {
        const found = await oidc.tokenIntrospection(config, next.access_token);
        t.match(found, { active: true, client_id: app.clientId, scope });
      }
      await oidc.tokenRevocation(config, next.refresh_token ?? '');
      await t.rejects(oidc.fetchUserInfo(config, next.access_token, visitor.id), `${what}: no token is valid any more`);
    }
  },
);

void t.test('openid-client registers itself, and an administrator registers a confidential client', async (t) => {
  const forge = await startTestForge(t);
  const visitor = await forge.createUser('visitor');
  await setSetting(forge, 'oauth2.dcr.enabled', 'true');
  const options = { execute: [oidc.allowInsecureRequests] };
  const config = await oidc.dynamicClientRegistration(
    new URL(forge.url),
    { redirect_uris: ['http://127.0.0.1/callback'], client_name: 'A connector', token_endpoint_auth_method: 'none' },
    oidc.None(),
    options,
  );
  const app: App = {
    id: '',
    clientId: config.clientMetadata().client_id,
    secret: undefined,
    redirectUri: 'http://127.0.0.1:50123/callback',
  };
  const verifier = oidc.randomPKCECodeVerifier();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: app.redirectUri,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: `${forge.url}/api/v1/mcp/visitor/repo`,
  });
  const tokens = await oidc.authorizationCodeGrant(config, await consent(visitor.client, url), {
    pkceCodeVerifier: verifier,
  });
  t.equal(tokens.scope, 'mcp:read');

  const administrator = await forge.signIn(forge.admin.username, forge.admin.password);
  const confidential = await oidc.dynamicClientRegistration(
    new URL(forge.url),
    { redirect_uris: ['https://app.example/callback'], token_endpoint_auth_method: 'client_secret_basic', scope },
    undefined,
    { ...options, initialAccessToken: administrator.token },
  );
  const metadata = confidential.clientMetadata();
  t.equal(metadata['client_secret_expires_at'], 0);
  const made: App = {
    id: '',
    clientId: metadata.client_id,
    secret: String(metadata.client_secret),
    redirectUri: 'https://app.example/callback',
  };
  const flow = await withOpenidClient(forge, visitor.client, made, oidc.ClientSecretBasic(made.secret));
  t.equal(flow.tokens.claims()?.sub, visitor.id);
});

void t.test('oauth4webapi: the whole flow, public and confidential', async (t) => {
  const forge = await startTestForge(t);
  const visitor = await forge.createUser('visitor');
  const insecure = { [oauth.allowInsecureRequests]: true } as const;
  const issuer = new URL(forge.url);
  for (const algorithm of ['oauth2', 'oidc'] as const)
    for (const confidential of [true, false]) {
      const app = await makeApp(visitor.client, { confidential });
      const server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { ...insecure, algorithm }),
      );
      const client: oauth.Client = { client_id: app.clientId };
      const authentication = confidential ? oauth.ClientSecretBasic(app.secret ?? '') : oauth.None();
      const verifier = oauth.generateRandomCodeVerifier();
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      const url = new URL(server.authorization_endpoint ?? '');
      const query = {
        client_id: app.clientId,
        redirect_uri: app.redirectUri,
        response_type: 'code',
        scope,
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const parameters = oauth.validateAuthResponse(server, client, await consent(visitor.client, url), state);
      const tokens = await oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          app.redirectUri,
          verifier,
          insecure,
        ),
        { expectedNonce: nonce, requireIdToken: true },
      );
      t.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, visitor.id);
      const next = await oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token ?? '', insecure),
      );
      const info = await oauth.processUserInfoResponse(
        server,
        client,
        visitor.id,
        await oauth.userInfoRequest(server, client, next.access_token, insecure),
      );
      t.equal(info.preferred_username, 'visitor');
      if (confidential) {
        const found = await oauth.processIntrospectionResponse(
          server,
          client,
          await oauth.introspectionRequest(server, client, authentication, next.access_token, insecure),
        );
        t.match(found, { active: true, sub: visitor.id });
      }
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, authentication, next.refresh_token ?? '', insecure),
      );
      const refused: unknown = await oauth
        .refreshTokenGrantRequest(server, client, authentication, next.refresh_token ?? '', insecure)
        .then((response) => oauth.processRefreshTokenResponse(server, client, response))
        .catch((error: unknown) => error);
      t.match(refused, { error: 'invalid_grant' });
    }
});
