// The hosted providers: servers that answer in the shapes that GitHub, GitLab, Google, Microsoft and Gitea document.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import type { Provider } from '#adapters/oidc/index';
import { userOfGithub } from '#adapters/oidc/user';
import type { ExternalUser } from '#core/kernel/access/sign-in-flows';
import {
  client,
  signingKey,
  startOpenidProvider,
  type Falsified,
  type Json,
} from '#test/support/servers/openid-provider';
import { outcomeOf, providerAt, signIn, state, underTest } from './sign-ins.ts';

const server = await startOpenidProvider();
t.teardown(() => server.stop());

const tenant = '9122040d-6c67-4c5b-b112-36a304b66dad';
const ofTenant = (issuer: string, id = tenant): string => issuer.replace(/\/\d+$/, `/${id}`);

interface Hosted {
  readonly kind: Provider['kind'];
  readonly metadata: (issuer: string) => Json;
  /** Claims of the ID token beside `aud`, `exp`, `iat` and `nonce`. */
  readonly claims: (issuer: string) => Json;
  readonly userinfo?: Json;
  readonly keys?: (keys: readonly Json[]) => unknown;
  readonly user: (issuer: string) => ExternalUser;
}

const withoutIss = { authorization_response_iss_parameter_supported: undefined };

const hosted: Readonly<Record<string, Hosted>> = {
  gitlab: {
    kind: 'openid',
    metadata: () => ({
      ...withoutIss,
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['plain', 'S256'],
      claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'sub_legacy', 'name', 'nickname', 'email'],
    }),
    claims: (iss) => ({
      iss,
      sub: '11514',
      sub_legacy: '0a1b2c3d',
      auth_time: 1_700_000_000,
      name: 'Ada Lovelace',
      nickname: 'ada',
      preferred_username: 'ada',
      email: 'ada@example.com',
      email_verified: true,
      profile: 'https://gitlab.com/ada',
      picture: 'https://gitlab.com/uploads/-/system/user/avatar/11514/avatar.png',
      groups_direct: ['analysts', 'analysts/engines'],
    }),
    user: (issuer) => ({
      subject: `${issuer}|11514`,
      username: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      displayName: 'Ada Lovelace',
    }),
  },
  google: {
    kind: 'openid',
    metadata: () => ({
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['plain', 'S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    }),
    claims: (iss) => ({
      iss,
      azp: client.id,
      sub: '110169484474386276334',
      hd: 'example.com',
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada Lovelace',
      picture: 'https://lh3.googleusercontent.com/a/x=s96-c',
      given_name: 'Ada',
      family_name: 'Lovelace',
    }),
    userinfo: {
      sub: '110169484474386276334',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      email_verified: true,
      hd: 'example.com',
    },
    user: (issuer) => ({
      subject: `${issuer}|110169484474386276334`,
      username: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      displayName: 'Ada Lovelace',
    }),
  },
  microsoft: {
    kind: 'microsoft',
    metadata: (issuer) => ({
      ...withoutIss,
      issuer: ofTenant(issuer, '{tenantid}'),
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
      code_challenge_methods_supported: undefined,
      tenant_region_scope: null,
      cloud_instance_name: 'microsoftonline.com',
    }),
    claims: (issuer) => ({
      iss: ofTenant(issuer),
      nbf: 1_700_000_000,
      name: 'Ada Lovelace',
      oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
      preferred_username: 'ada@contoso.example',
      email: 'ada@contoso.example',
      email_verified: true,
      rh: '0.AXkA',
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      tid: tenant,
      uti: 'fqiBqXLPj0eQa82S',
      ver: '2.0',
    }),
    keys: (keys) => ({
      keys: keys.map(({ alg: _, ...key }) => ({ ...key, x5t: 'x', x5c: ['MII'], issuer: 'https://x/{tenantid}/v2.0' })),
    }),
    user: (issuer) => ({
      subject: `${ofTenant(issuer)}|AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ`,
      username: 'ada',
      email: 'ada@contoso.example',
      emailVerified: false,
      displayName: 'Ada Lovelace',
    }),
  },
  gitea: {
    kind: 'openid',
    metadata: () => ({
      ...withoutIss,
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['plain', 'S256'],
      claims_supported: ['aud', 'exp', 'iat', 'iss', 'sub', 'name', 'preferred_username', 'email', 'groups'],
    }),
    claims: (iss) => ({
      iss,
      sub: '7',
      aud: [client.id],
      name: 'Ada Lovelace',
      preferred_username: 'ada',
      profile: 'https://gitea.com/ada',
      locale: 'en-US',
      updated_at: 1_700_000_000,
      email: 'ada@example.com',
      email_verified: true,
      groups: null,
    }),
    user: (issuer) => ({
      subject: `${issuer}|7`,
      username: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      displayName: 'Ada Lovelace',
    }),
  },
};

const falsifiedAs = ({ metadata, claims, userinfo, keys }: Hosted, issuer: string, more: Json = {}): Falsified => ({
  signedBy: signingKey('RS256'),
  metadata: (all) => ({ ...all, ...metadata(issuer) }),
  claims: ({ aud, exp, iat, nonce }) => ({ aud, exp, iat, nonce, ...claims(issuer), ...more }),
  ...(userinfo !== undefined && { userinfo: () => userinfo }),
  ...(keys !== undefined && { keys: (all) => keys(all) }),
});

for (const [id, service] of Object.entries(hosted))
  void t.test(`a user of ${id} signs in`, async (t) => {
    const issuer = server.issuer();
    issuer.falsify(falsifiedAs(service, issuer.issuer));
    const provider = providerAt(issuer.issuer, { id, kind: service.kind });
    const { user } = await signIn(underTest(), issuer, provider, ({ code, iss }) =>
      id === 'google' ? { code, iss } : { code },
    );
    t.strictSame(user, service.user(issuer.issuer));
  });

const { microsoft } = hosted as { readonly microsoft: Hosted };

for (const [value, verified] of [
  [true, true],
  [1, true],
  ['1', true],
  [false, false],
  [0, false],
] as const)
  void t.test(`an address of Microsoft with xms_edov ${JSON.stringify(value)} is verified: ${verified}`, async (t) => {
    const issuer = server.issuer();
    issuer.falsify(falsifiedAs(microsoft, issuer.issuer, { xms_edov: value }));
    const { user } = await signIn(
      underTest(),
      issuer,
      providerAt(issuer.issuer, { kind: 'microsoft' }),
      ({ code }) => ({
        code,
      }),
    );
    t.equal(user.emailVerified, verified);
  });

void t.test('tokens of a tenant have the issuer of that tenant', async (t) => {
  const refused: readonly (readonly [string, (issuer: string) => Json, string | undefined])[] = [
    ['iss of another tenant than tid', () => ({ tid: '00000000-0000-0000-0000-000000000000' }), undefined],
    ['no tid', () => ({ tid: undefined }), undefined],
    ['tid that is a path', (issuer) => ({ tid: '../x', iss: ofTenant(issuer, '../x') }), undefined],
    ['iss of the template', (issuer) => ({ tid: '{tenantid}', iss: ofTenant(issuer, '{tenantid}') }), undefined],
    ['iss of another server', () => ({ iss: `https://evil.example.com/${tenant}` }), undefined],
    ['iss of the callback of another tenant', () => ({}), 'other-tenant'],
    ['iss of the callback of another server', () => ({}), 'https://evil.example.com'],
  ];
  for (const [what, changed, callbackIss] of refused) {
    const issuer = server.issuer();
    issuer.falsify(falsifiedAs(microsoft, issuer.issuer, changed(issuer.issuer)));
    const iss = callbackIss === 'other-tenant' ? ofTenant(issuer.issuer, callbackIss) : callbackIss;
    const provider = providerAt(issuer.issuer, { kind: 'microsoft' });
    const outcome = await outcomeOf(signIn(underTest(), issuer, provider, ({ code }) => ({ code, iss })));
    t.match(outcome, { refused: 'provider_answer_invalid' }, what);
  }
  const issuer = server.issuer();
  issuer.falsify(falsifiedAs(microsoft, issuer.issuer));
  const signedIn = await signIn(underTest(), issuer, providerAt(issuer.issuer, { kind: 'microsoft' }), ({ code }) => ({
    code,
    iss: ofTenant(issuer.issuer),
  }));
  t.equal(signedIn.user.username, 'ada', 'the issuer of the tenant in the callback is accepted');
});

void t.test("Microsoft's metadata of one tenant names its id, and no other path or server", async (t) => {
  const issuer = server.issuer();
  const provider = providerAt(issuer.issuer, { kind: 'microsoft' });
  const named = (name: string): void =>
    issuer.falsify({
      ...falsifiedAs(microsoft, issuer.issuer),
      metadata: (all) => ({ ...all, ...withoutIss, issuer: name }),
    });
  named(ofTenant(issuer.issuer));
  t.equal((await signIn(underTest(), issuer, provider, ({ code }) => ({ code }))).user.username, 'ada');
  for (const name of [`${ofTenant(issuer.issuer)}/v3.0`, ofTenant('https://evil.example.com/1'), server.url]) {
    named(name);
    await t.rejects(underTest().client.start(provider, state), { code: 'provider_unavailable' }, name);
  }
});

const profile = {
  login: 'ada',
  id: 583_231,
  node_id: 'MDQ6VXNlcjU4MzIzMQ==',
  type: 'User',
  site_admin: false,
  name: 'Ada Lovelace',
  email: 'public@example.com',
  two_factor_authentication: true,
};
const emails = [
  { email: 'old@example.com', primary: false, verified: true, visibility: null },
  { email: 'ada@example.com', primary: true, verified: true, visibility: 'private' },
];

/** The answers of GitHub, each of which can be replaced. */
interface Github {
  readonly token?: Json;
  readonly user?: unknown;
  readonly emails?: unknown;
  readonly emailsStatus?: number;
}

const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));

function github(answers: Github = {}) {
  const codes = new Map<string, string>();
  const token = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const ok = codes.get(form.get('code') ?? '') === challenge && form.get('client_secret') === client.secret;
    const granted = { access_token: 'gho_marker', token_type: 'bearer', scope: 'read:user,user:email' };
    const error = { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' };
    json(response, 200, answers.token ?? (ok ? granted : error));
  };
  const issuer = server.issuer({
    raw(path, response, request) {
      const isAuthorized = request.headers.authorization === 'Bearer gho_marker';
      if (path === '/login/oauth/access_token') void token(request, response);
      else if (!isAuthorized) json(response, 401, { message: 'Bad credentials' });
      else if (path === '/api/v3/user') json(response, 200, answers.user ?? profile);
      else if (path.startsWith('/api/v3/user/emails'))
        json(response, answers.emailsStatus ?? 200, answers.emails ?? emails);
      else json(response, 404, { message: 'Not Found' });
      return true;
    },
  });
  const provider = providerAt(issuer.issuer, { id: 'github', kind: 'github', scopes: 'read:user user:email' });
  const under = underTest();
  return {
    provider,
    under,
    async signIn(code = 'a-code', iss?: string) {
      const { redirectUrl, kept } = await under.client.start(provider, state);
      codes.set('a-code', new URL(redirectUrl).searchParams.get('code_challenge') ?? '');
      return under.client.identify(provider, kept, { code, iss }, new AbortController().signal);
    },
  };
}

void t.test('a user of GitHub signs in with the primary address', async (t) => {
  const { provider, under, signIn: signInAt } = github();
  const url = new URL((await under.client.start(provider, state)).redirectUrl);
  t.equal(url.origin + url.pathname, `${provider.address}/login/oauth/authorize`);
  t.match(Object.fromEntries(url.searchParams), {
    code_challenge_method: 'S256',
    scope: 'read:user user:email',
    state,
  });
  const { user, claims } = await signInAt();
  t.strictSame(user, {
    subject: `${new URL(provider.address).host}|583231`,
    username: 'ada',
    email: 'ada@example.com',
    emailVerified: true,
    displayName: 'Ada Lovelace',
  });
  t.match(claims, { login: 'ada', emails: /ada@example.com/ });
});

void t.test('the API of github.com is on its own host, and the subject of its users is the id', async (t) => {
  const steps = await underTest().client.inspect(providerAt('https://github.com/', { kind: 'github' }));
  t.match(
    steps.map(({ about }) => about),
    [
      'https://github.com/login/oauth/authorize',
      'https://github.com/login/oauth/access_token',
      'https://api.github.com',
    ],
  );
  t.equal(userOfGithub(profile, emails, undefined).subject, '583231');
});

void t.test('an address of GitHub is verified if the primary one is', async (t) => {
  const unverified = [{ email: 'ada@example.com', primary: true, verified: false }];
  t.match((await github({ emails: unverified }).signIn()).user, { email: 'ada@example.com', emailVerified: false });
  t.match((await github({ emails: [] }).signIn()).user, { email: 'public@example.com', emailVerified: false });
  t.match((await github({ emailsStatus: 404 }).signIn()).user, { email: 'public@example.com', emailVerified: false });
});

void t.test('refusals and malformed answers of GitHub', async (t) => {
  const codeOf = async (answers: Github, ...given: readonly string[]): Promise<unknown> => {
    const peer = github(answers);
    const outcome = await outcomeOf(peer.signIn(...given));
    t.notMatch(peer.under.log.lines.join(''), /gho_marker|a-secret-of-the-forge/);
    return 'refused' in outcome ? outcome.refused : outcome.identified;
  };
  t.equal(await codeOf({}, 'another-code'), 'provider_refused', 'a wrong code, answered with the status 200');
  t.equal(await codeOf({}, 'a-code', 'https://evil.example.com'), 'provider_answer_invalid', 'mix-up');
  t.equal(await codeOf({ token: { error: 'incorrect_client_credentials' } }), 'provider_refused');
  t.equal(await codeOf({ token: { access_token: 'x', token_type: 'mac' } }), 'provider_answer_invalid');
  t.equal(await codeOf({ token: { access_token: 'x', token_type: 'bearer' } }), 'provider_refused', 'a bad token');
  for (const id of [undefined, 0, -1, 1.5, '583231', 2 ** 53])
    t.equal(await codeOf({ user: { ...profile, id } }), 'provider_answer_invalid', String(id));
  t.equal(await codeOf({ user: [] }), 'provider_answer_invalid');
  t.equal(await codeOf({ emails: { 0: emails[1] } }), 'provider_answer_invalid');
});
