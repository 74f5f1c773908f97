// Attacks by a hostile OpenID provider, or by somebody between it and the browser: each is refused, for its own reason.
import { createHmac, createPublicKey } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import t from 'tap';
import {
  base64url,
  client,
  newKey,
  publicJwk,
  signed,
  signingKey,
  startOpenidProvider,
  type Approved,
  type Falsified,
  type Issuer,
  type Json,
  type UnsignedToken,
} from '#test/support/servers/openid-provider';
import type { Provider, ProviderAnswer } from '#adapters/oidc/index';
import { outcomeOf, providerAt, signIn, state, underTest, type UnderTest } from './sign-ins.ts';

const server = await startOpenidProvider();
t.teardown(() => server.stop());

interface Attack {
  readonly name: string;
  readonly code: 'provider_answer_invalid' | 'provider_refused' | 'provider_unavailable';
  /** The reason in the log. */
  readonly reason: RegExp;
  readonly falsified?: Falsified | ((issuer: string) => Falsified);
  readonly altered?: (approved: Approved) => ProviderAnswer;
  readonly provider?: Partial<Provider>;
  /** Runs the attack itself, in place of a sign-in. */
  readonly run?: (under: UnderTest, issuer: Issuer) => Promise<unknown>;
}

const claim = (changed: Json): Falsified => ({ claims: (claims) => ({ ...claims, ...changed }) });
const without = (name: string): Falsified => ({
  claims: (claims) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name)),
});
const metadata = (changed: (issuer: string) => Json) => (issuer: string) => ({
  metadata: (all: Json) => ({ ...all, ...changed(issuer) }),
});
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

const allAlgorithms = { id_token_signing_alg_values_supported: ['none', 'HS256', 'RS256', 'ES256'] };
const withAlgorithms = (falsified: Falsified) => (issuer: string) => ({
  ...metadata(() => allAlgorithms)(issuer),
  ...falsified,
});

const unsigned = ({ claims }: UnsignedToken): string => `${base64url({ alg: 'none' })}.${base64url(claims)}.`;
const rsa = signingKey('RS256');
const publicPem = createPublicKey(rsa.key).export({ type: 'spki', format: 'pem' });

function signedByHmac({ claims }: UnsignedToken, secret: string | Buffer): string {
  const input = `${base64url({ alg: 'HS256', kid: rsa.kid })}.${base64url(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const answering = (path: string, answer: (response: ServerResponse) => unknown): Falsified => ({
  raw(asked, response) {
    if (asked === path) answer(response);
    return asked === path;
  },
});

const discoveryPath = '/.well-known/openid-configuration';
const weak = { kid: 'weak', alg: 'RS256' as const, key: newKey('RS256', 512) };
const other = { kid: 'other', alg: 'ES256' as const, key: newKey('ES256') };
const invalid = 'provider_answer_invalid';
const unavailable = 'provider_unavailable';

const attacks: readonly Attack[] = [
  // Signatures.
  { name: 'alg none', code: invalid, reason: /unexpected JWT "alg"/, falsified: { idToken: unsigned } },
  {
    name: 'alg none that the metadata offers',
    code: invalid,
    reason: /unexpected JWT "alg"/,
    falsified: withAlgorithms({ idToken: unsigned }),
  },
  {
    name: 'HS256 with the public key as the secret',
    code: invalid,
    reason: /unexpected JWT "alg"/,
    falsified: withAlgorithms({ idToken: (token) => signedByHmac(token, publicPem as string) }),
  },
  {
    name: 'HS256 with the client secret',
    code: invalid,
    reason: /unexpected JWT "alg"/,
    falsified: withAlgorithms({ idToken: (token) => signedByHmac(token, client.secret) }),
  },
  {
    name: 'a key of another kid signs',
    code: invalid,
    reason: /signature verification failed/,
    falsified: { idToken: (token) => signed({ ...token, key: { ...other, kid: token.key.kid } }) },
  },
  {
    name: 'the signature is removed',
    code: invalid,
    reason: /signature verification failed/,
    falsified: { idToken: async (token) => (await signed(token)).replace(/[^.]*$/, '') },
  },
  {
    name: 'the claims are changed after signing',
    code: invalid,
    reason: /signature verification failed/,
    falsified: {
      async idToken(token) {
        const [header, , signature] = (await signed(token)).split('.');
        return `${header}.${base64url({ ...token.claims, sub: 'admin' })}.${signature}`;
      },
    },
  },
  {
    name: 'an unknown kid',
    code: invalid,
    reason: /no applicable keys found/,
    falsified: { signedBy: other },
  },
  {
    name: 'a key within the header of the token',
    code: invalid,
    reason: /no applicable keys found/,
    falsified: {
      idToken: (token) => signed({ ...token, header: { kid: other.kid, jwk: publicJwk(other) }, key: other }),
    },
  },
  {
    name: 'two keys with the same kid',
    code: invalid,
    reason: /multiple applicable keys/,
    falsified: { keys: (keys) => ({ keys: [...keys, ...keys] }) },
  },
  {
    name: 'an RSA key of 512 bits',
    code: invalid,
    reason: /modulusLength/,
    falsified: {
      signedBy: weak,
      // The library of the test refuses to sign with it, so that the signature is that of another key.
      idToken: (token) => signed({ ...token, key: { ...rsa, kid: weak.kid } }),
      keys: () => ({ keys: [publicJwk(weak)] }),
    },
  },
  {
    name: 'a key for encryption',
    code: invalid,
    reason: /no applicable keys found/,
    falsified: { keys: (keys) => ({ keys: keys.map((key) => ({ ...key, use: 'enc' })) }) },
  },
  {
    name: 'an unknown critical header',
    code: invalid,
    reason: /"crit"/,
    falsified: {
      idToken: async (token) => {
        const [, payload, signature] = (await signed(token)).split('.');
        return `${base64url({ alg: 'ES256', kid: token.key.kid, crit: ['x'], x: 1 })}.${payload}.${signature}`;
      },
    },
  },
  {
    name: 'an encrypted ID token',
    code: invalid,
    reason: /unsupported operation/,
    falsified: { idToken: () => `${base64url({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.a.b.c.d` },
  },
  // Claims.
  { name: 'another iss', code: invalid, reason: /"iss"/, falsified: claim({ iss: 'https://evil.example.com' }) },
  { name: 'another aud', code: invalid, reason: /"aud"/, falsified: claim({ aud: 'another client' }) },
  { name: 'no aud', code: invalid, reason: /"aud".*missing/, falsified: without('aud') },
  { name: 'two aud without azp', code: invalid, reason: /"aud"/, falsified: claim({ aud: [client.id, 'other'] }) },
  {
    name: 'another azp beside two aud',
    code: invalid,
    reason: /"azp"/,
    falsified: claim({ aud: [client.id, 'other'], azp: 'other' }),
  },
  { name: 'another azp beside one aud', code: invalid, reason: /"azp"/, falsified: claim({ azp: 'other' }) },
  {
    name: 'exp more than 60 s ago',
    code: invalid,
    reason: /"exp"|timestamp/,
    falsified: claim({ exp: inSeconds(-62) }),
  },
  { name: 'no exp', code: invalid, reason: /"exp".*missing/, falsified: without('exp') },
  { name: 'exp as a text', code: invalid, reason: /"exp"/, falsified: claim({ exp: '9999999999' }) },
  { name: 'iat more than 60 s ahead', code: invalid, reason: /"iat"/, falsified: claim({ iat: inSeconds(3600) }) },
  { name: 'no iat', code: invalid, reason: /"iat".*missing/, falsified: without('iat') },
  {
    name: 'nbf more than 60 s ahead',
    code: invalid,
    reason: /"nbf"|timestamp/,
    falsified: claim({ nbf: inSeconds(3600) }),
  },
  { name: 'no nonce', code: invalid, reason: /"nonce".*missing/, falsified: without('nonce') },
  { name: 'another nonce', code: invalid, reason: /"nonce"/, falsified: claim({ nonce: 'n'.repeat(43) }) },
  {
    name: 'at_hash of another token',
    code: invalid,
    reason: /"at_hash"/,
    falsified: claim({ at_hash: 'x'.repeat(22) }),
  },
  { name: 'no sub', code: invalid, reason: /"sub".*missing/, falsified: without('sub') },
  { name: 'sub as a number', code: invalid, reason: /"sub"/, falsified: claim({ sub: 1 }) },
  { name: 'sub of 256 characters', code: invalid, reason: /"sub"/, falsified: claim({ sub: 'x'.repeat(256) }) },
  { name: 'sub with a NUL', code: invalid, reason: /"sub"/, falsified: claim({ sub: 'admin\u0000' }) },
  { name: 'a huge ID token', code: invalid, reason: /100000 characters/, falsified: claim({ x: 'x'.repeat(120_000) }) },
  // The way through the browser.
  {
    name: 'mix-up: iss of another provider',
    code: invalid,
    reason: /"iss".*response parameter/,
    altered: (approved) => ({ ...approved, iss: 'https://other.example.com' }),
  },
  {
    name: 'mix-up: iss missing where the metadata promises it',
    code: invalid,
    reason: /"iss".*missing/,
    altered: ({ code }) => ({ code }),
  },
  {
    name: 'the code of another sign-in (PKCE)',
    code: 'provider_refused',
    reason: /invalid_grant/,
    async run({ client: signInAt }, issuer) {
      const provider = providerAt(issuer.issuer);
      const [victim, attacker] = [await signInAt.start(provider, state), await signInAt.start(provider, state)];
      const { code, iss } = issuer.approve(victim.redirectUrl);
      return signInAt.identify(provider, attacker.kept, { code, iss }, new AbortController().signal);
    },
  },
  {
    name: 'the ID token of another sign-in (nonce)',
    code: invalid,
    reason: /"nonce"/,
    async run(under, issuer) {
      let stolen = '';
      issuer.falsify({ idToken: async (token) => (stolen = await signed(token)) });
      await signIn(under, issuer);
      issuer.falsify({ idToken: () => stolen });
      return signIn(under, issuer);
    },
  },
  {
    name: 'a code that is used twice',
    code: 'provider_refused',
    reason: /invalid_grant/,
    async run({ client: signInAt }, issuer) {
      const provider = providerAt(issuer.issuer);
      const { redirectUrl, kept } = await signInAt.start(provider, state);
      const { code, iss } = issuer.approve(redirectUrl);
      const { signal } = new AbortController();
      await signInAt.identify(provider, kept, { code, iss }, signal);
      return signInAt.identify(provider, kept, { code, iss }, signal);
    },
  },
  {
    name: 'secrets of another kind of sign-in',
    code: invalid,
    reason: /another kind/,
    run: ({ client: signInAt }, issuer) =>
      signInAt.identify(providerAt(issuer.issuer), '["x"]', { code: 'x' }, new AbortController().signal),
  },
  // The token endpoint.
  {
    name: 'an answer of 10 MB',
    code: unavailable,
    reason: /more than 262144 bytes/,
    falsified: answering('/token', (response) => response.end(Buffer.alloc(10 * 1024 ** 2, ' '))),
  },
  {
    name: 'an answer that never ends',
    code: unavailable,
    reason: /did not answer in time/,
    falsified: answering('/token', (response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    }),
  },
  {
    name: 'no answer',
    code: unavailable,
    reason: /did not answer in time/,
    falsified: answering('/token', () => undefined),
  },
  {
    name: 'a broken connection',
    code: unavailable,
    reason: /cannot be reached/,
    falsified: answering('/token', (response) => response.destroy()),
  },
  {
    name: 'a redirect, which would receive the code',
    code: unavailable,
    reason: /status 307/,
    falsified: answering('/token', (response) => response.writeHead(307, { location: `${server.url}/1/token` }).end()),
  },
  {
    name: 'a status of 500',
    code: unavailable,
    reason: /status 500/,
    falsified: answering('/token', (response) => response.writeHead(500).end('{}')),
  },
  {
    name: 'a status of 404',
    code: 'provider_refused',
    reason: /unexpected status/,
    falsified: answering('/token', (response) =>
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}'),
    ),
  },
  {
    name: 'a wrong client secret',
    code: 'provider_refused',
    reason: /status 401 and the error "invalid_client"/,
    falsified: answering('/token', (response) =>
      response
        .writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' })
        .end('{"error":"invalid_client"}'),
    ),
  },
  {
    name: 'an access token that is not a bearer token',
    code: invalid,
    reason: /bearer/,
    falsified: { token: (answer) => ({ ...answer, token_type: 'DPoP' }) },
  },
  {
    name: 'no token type',
    code: invalid,
    reason: /"token_type"/,
    falsified: { token: ({ token_type: _, ...answer }) => answer },
  },
  { name: 'no ID token', code: invalid, reason: /"id_token"/, falsified: { idToken: () => undefined } },
  {
    name: 'HTML',
    code: invalid,
    reason: /pars/,
    falsified: { token: () => '<html>marker</html>' },
  },
  {
    name: 'a JSON list',
    code: invalid,
    reason: /top level object/,
    falsified: { token: () => [] },
  },
  {
    name: '__proto__ with the tokens',
    code: invalid,
    reason: /"access_token"/,
    falsified: { token: (answer) => `{"__proto__":${JSON.stringify(answer)}}` },
  },
  // The metadata.
  {
    name: 'metadata of another issuer',
    code: unavailable,
    reason: /"issuer" is another one/,
    falsified: metadata(() => ({ issuer: 'https://accounts.example.com' })),
  },
  {
    name: 'metadata with a template as its issuer',
    code: unavailable,
    reason: /"issuer" is another one/,
    falsified: metadata((issuer) => ({ issuer: issuer.replace(/\/\d+$/, '/{tenantid}') })),
  },
  ...(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const).map((name): Attack => ({
    name: `${name} over http`,
    code: unavailable,
    reason: new RegExp(`"${name}" is neither https`),
    falsified: metadata(() => ({ [name]: 'http://id.example.com/x' })),
  })),
  {
    name: 'an endpoint of another scheme',
    code: unavailable,
    reason: /"authorization_endpoint" is neither https/,
    falsified: metadata(() => ({ authorization_endpoint: 'javascript:alert(1)' })),
  },
  {
    name: 'an endpoint with a password',
    code: unavailable,
    reason: /"token_endpoint" has a user/,
    falsified: metadata(() => ({ token_endpoint: 'https://a:b@id.example.com/' })),
  },
  {
    name: 'only signatures with shared secrets',
    code: unavailable,
    reason: /no signature of ID tokens/,
    falsified: metadata(() => ({ id_token_signing_alg_values_supported: ['HS256', 'none'] })),
  },
  {
    name: 'only other client authentication',
    code: unavailable,
    reason: /neither client_secret_basic nor _post/,
    falsified: metadata(() => ({ token_endpoint_auth_methods_supported: ['private_key_jwt'] })),
  },
  {
    name: 'metadata that is a redirect',
    code: unavailable,
    reason: /status 302/,
    falsified: answering(discoveryPath, (response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    ),
  },
  {
    name: 'metadata of 2 MB',
    code: unavailable,
    reason: /more than 262144 bytes/,
    falsified: metadata(() => ({ x: 'x'.repeat(2 * 1024 ** 2) })),
  },
  {
    name: 'metadata that is a list',
    code: unavailable,
    reason: /not a JSON object/,
    falsified: answering(discoveryPath, (response) => response.end('[]')),
  },
  // Keys.
  {
    name: '5,000 keys',
    code: unavailable,
    reason: /more than 100 keys/,
    falsified: { keys: () => ({ keys: Array.from({ length: 5000 }, (_, kid) => ({ kty: 'EC', kid: `${kid}` })) }) },
  },
  {
    name: 'a private key among the keys',
    code: unavailable,
    reason: /private or symmetric key/,
    falsified: { keys: (keys) => ({ keys: [...keys, other.key.export({ format: 'jwk' })] }) },
  },
  {
    name: 'a symmetric key among the keys',
    code: unavailable,
    reason: /private or symmetric key/,
    falsified: { keys: (keys) => ({ keys: [...keys, { kty: 'oct', k: 'c2VjcmV0' }] }) },
  },
  {
    name: 'a key of 20,000 characters',
    code: invalid,
    reason: /no applicable keys found/,
    falsified: { keys: (keys) => ({ keys: keys.map((key) => ({ ...key, x: 'x'.repeat(20_000) })) }) },
  },
  {
    name: 'a point that is not on the curve',
    code: invalid,
    reason: /.+/,
    falsified: { keys: (keys) => ({ keys: keys.map((key) => ({ ...key, x: 'A'.repeat(43) })) }) },
  },
  {
    name: 'keys that are not a list',
    code: unavailable,
    reason: /not a list/,
    falsified: { keys: () => ({ keys: { 0: {} } }) },
  },
  // UserInfo.
  {
    name: 'UserInfo of another user',
    code: invalid,
    reason: /"sub"/,
    falsified: { ...without('email'), userinfo: () => ({ sub: 'admin', email: 'admin@example.com' }) },
  },
  {
    name: 'UserInfo without a user',
    code: invalid,
    reason: /"sub"/,
    falsified: { ...without('email'), userinfo: () => ({ email: 'admin@example.com' }) },
  },
  {
    name: 'UserInfo that is an unsigned token',
    code: invalid,
    reason: /"alg"/,
    falsified: {
      ...without('email'),
      ...answering('/userinfo', (response) =>
        response
          .writeHead(200, { 'content-type': 'application/jwt' })
          .end(`${base64url({ alg: 'none' })}.${base64url({ sub: 'user-1' })}.`),
      ),
    },
  },
];

const timeLimitMs = 400;

t.ok(attacks.length >= 30);
for (const [index, { name, code, reason, falsified = {}, altered, provider, run }] of attacks.entries())
  void t.test(`attack ${index + 1}: ${name}`, async (t) => {
    const issuer = server.issuer();
    issuer.falsify(typeof falsified === 'function' ? falsified(issuer.issuer) : falsified);
    const under = underTest(/never|no answer/.test(name) ? timeLimitMs : undefined);
    const begun = performance.now();
    const outcome = await outcomeOf(
      (run?.(under, issuer) ?? signIn(under, issuer, providerAt(issuer.issuer, provider), altered)) as Promise<never>,
    );
    t.match(outcome, { refused: code });
    t.match(under.log.lines.at(-1)?.replaceAll('\\"', '"'), reason);
    t.notMatch(under.log.lines.join('\n'), /marker|access-code|a-secret-of-the-forge/);
    t.ok(performance.now() - begun < 2000, 'is refused at once');
  });

void t.test('clocks may differ by 60 s', async (t) => {
  const issuer = server.issuer(claim({ exp: inSeconds(-50), iat: inSeconds(50), nbf: inSeconds(50) }));
  t.equal((await signIn(underTest(), issuer)).user.username, 'ada');
});

void t.test('the provider without a redirect is the same that is attacked', async (t) => {
  t.equal((await signIn(underTest(), server.issuer())).user.username, 'ada');
});
