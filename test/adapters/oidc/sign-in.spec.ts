// Signing in at an OpenID provider: the request, the user, the caches, and the limits of time and number.
import { createHash } from 'node:crypto';
import t from 'tap';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressMisfit } from '#adapters/oidc/index';
import { BadGateway, Forbidden } from '#core/kernel/errors';
import { client, newKey, publicJwk, signingKey, startOpenidProvider } from '#test/support/servers/openid-provider';
import { outcomeOf, providerAt, signIn, state, underTest } from './sign-ins.ts';

const server = await startOpenidProvider();
t.teardown(() => server.stop());

void t.test('the browser is sent with PKCE, state and nonce, and the secrets are short', async (t) => {
  const { issuer } = server.issuer();
  const provider = providerAt(issuer);
  const { redirectUrl, kept } = await underTest().client.start(provider, state);
  const url = new URL(redirectUrl);
  const secrets = JSON.parse(kept) as { readonly verifier: string; readonly nonce: string };
  t.equal(url.origin + url.pathname, `${issuer}/authorize`);
  t.strictSame(Object.fromEntries(url.searchParams), {
    client_id: client.id,
    response_type: 'code',
    redirect_uri: provider.redirectUri,
    scope: 'openid profile email',
    code_challenge: createHash('sha256').update(secrets.verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    nonce: secrets.nonce,
  });
  t.ok(kept.length <= 1000);
  t.not((await underTest().client.start(provider, state)).kept, kept);
});

void t.test('the user is that of the ID token', async (t) => {
  const issuer = server.issuer({ claims: (claims) => ({ ...claims, name: 'Ada\u0000\nLovelace' }) });
  const { user, claims } = await signIn(underTest(), issuer);
  t.strictSame(user, {
    subject: `${issuer.issuer}|user-1`,
    username: 'ada',
    email: 'ada@example.com',
    emailVerified: true,
    displayName: 'Ada Lovelace',
  });
  t.equal(claims?.['preferred_username'], 'ada');
  t.notOk('nonce' in (claims ?? {}));
  t.notOk(issuer.requests.includes('GET /userinfo'), 'UserInfo is not needed');
});

for (const alg of ['RS256', 'ES256', 'EdDSA'] as const)
  void t.test(`an ID token signed by ${alg} is accepted, with its hash of the access token`, async (t) => {
    let hash = '';
    const issuer = server.issuer({
      signedBy: signingKey(alg),
      token: (answer) => ({ ...answer, access_token: 'an access token' }),
      claims: (claims) => ({ ...claims, at_hash: hash }),
    });
    const digest = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
      .update('an access token')
      .digest();
    hash = digest.subarray(0, digest.length / 2).toString('base64url');
    t.equal((await signIn(underTest(), issuer)).user.username, 'ada');
  });

void t.test('UserInfo is requested if the ID token has no username or address', async (t) => {
  const issuer = server.issuer({
    claims: ({ iss, sub, aud, exp, iat, nonce }) => ({ iss, sub, aud, exp, iat, nonce }),
    userinfo: ({ sub }) => ({ sub, nickname: 'lovelace', email: 'l@example.com', email_verified: true }),
  });
  const { user } = await signIn(underTest(), issuer);
  t.match(user, { username: 'lovelace', email: 'l@example.com', emailVerified: true });
});

void t.test('an address and its verification are from the same source', async (t) => {
  const issuer = server.issuer({
    claims: ({ email_verified: _, preferred_username: __, ...rest }) => ({ ...rest, email: 'victim@example.com' }),
    userinfo: ({ sub }) => ({ sub, email: 'own@example.com', email_verified: true }),
  });
  t.match((await signIn(underTest(), issuer)).user, { email: 'victim@example.com', emailVerified: false });
});

const verified = [false, 'true', 1, null, undefined] as const;
for (const value of verified)
  void t.test(`email_verified ${JSON.stringify(value)} does not verify the address`, async (t) => {
    const issuer = server.issuer({ claims: (claims) => ({ ...claims, email_verified: value }) });
    t.match((await signIn(underTest(), issuer)).user, { email: 'ada@example.com', emailVerified: false });
  });

void t.test('texts are bounded, and an address that cannot be one is ignored', async (t) => {
  const issuer = server.issuer({
    claims: (claims) => ({
      ...claims,
      preferred_username: 'x'.repeat(5000),
      name: { first: 'Ada' },
      email: `${'y'.repeat(300)}@example.com`,
      ...Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`claim-${at}`, 'z'.repeat(300)])),
      access_token: 'marker',
      __proto__: 'x',
    }),
  });
  const { user, claims = {} } = await signIn(underTest(), issuer);
  t.equal(user.username?.length, 200);
  t.equal(user.displayName, undefined);
  t.match(user, { email: undefined, emailVerified: false });
  t.equal(Object.keys(claims).length, 30);
  t.ok(Object.values(claims).every((claim) => typeof claim !== 'string' || claim.length <= 200));
  t.notMatch(JSON.stringify(claims), /marker/);
});

void t.test('client_secret_basic is used if the metadata offers nothing else', async (t) => {
  let authorization: string | undefined;
  const issuer = server.issuer({
    metadata: ({ token_endpoint_auth_methods_supported: _, ...rest }) => rest,
    raw(path, _response, request) {
      if (path === '/token') ({ authorization } = request.headers);
      return false;
    },
  });
  await signIn(underTest(), issuer);
  t.match(authorization, /^Basic /);
});

void t.test('metadata is requested once an hour, and once for all that wait for it', async (t) => {
  const issuer = server.issuer();
  const { client: signInAt, advance } = underTest();
  const discoveries = (): number => issuer.requests.filter((one) => one.includes('well-known')).length;
  await Promise.all(Array.from({ length: 8 }, () => signInAt.start(providerAt(issuer.issuer), state)));
  t.equal(discoveries(), 1);
  advance(3_599_000);
  await signInAt.start(providerAt(issuer.issuer), state);
  t.equal(discoveries(), 1);
  advance(2_000);
  await signInAt.start(providerAt(issuer.issuer), state);
  t.equal(discoveries(), 2);
});

void t.test('a provider that is down is asked again after 5 s, and then works', async (t) => {
  let down = true;
  const issuer = server.issuer({
    raw(_path, response) {
      if (down) response.writeHead(503).end();
      return down;
    },
  });
  const { client: signInAt, advance, log } = underTest();
  const start = () => signInAt.start(providerAt(issuer.issuer), state);
  await t.rejects(start(), new BadGateway('"Example" does not work at the moment'));
  await t.rejects(start(), { code: 'provider_unavailable' });
  t.equal(issuer.requests.length, 1);
  t.match(log.lines[0], /answered with status 503/);
  down = false;
  advance(5_000);
  t.match(await start(), { redirectUrl: /authorize/ });
});

void t.test('keys are fetched again once for an unknown key, at most ten times a minute', async (t) => {
  const issuer = server.issuer();
  const under = underTest();
  const fetches = (): number => issuer.requests.filter((one) => one === 'GET /keys').length;
  await signIn(under, issuer);
  await signIn(under, issuer);
  t.equal(fetches(), 1);
  const rotated = { kid: 'rotated', alg: 'ES256' as const, key: newKey('ES256') };
  issuer.falsify({ signedBy: rotated, keys: (keys) => ({ keys: [...keys, publicJwk(rotated)] }) });
  const [first, second] = await Promise.all([signIn(under, issuer), signIn(under, issuer)]);
  t.equal(first.user.username, 'ada');
  t.equal(second.user.username, 'ada');
  t.equal(fetches(), 2);
  const unknown = { kid: 'unknown', alg: 'ES256' as const, key: newKey('ES256') };
  issuer.falsify({ signedBy: unknown, keys: (keys) => ({ keys: [...keys, publicJwk(rotated)] }) });
  t.match(await outcomeOf(signIn(under, issuer)), { refused: 'provider_answer_invalid' });
  t.equal(fetches(), 3, 'once for each sign-in');
  for (let attempt = 0; attempt < 11; attempt += 1)
    t.match(await outcomeOf(signIn(under, issuer)), { refused: 'provider_answer_invalid' });
  t.equal(fetches(), 11);
  under.advance(60_000);
  t.match(await outcomeOf(signIn(under, issuer)), { refused: 'provider_answer_invalid' });
  t.equal(fetches(), 12);
});

void t.test('a slow provider is given up, and harms neither others nor other clients', async (t) => {
  const slow = server.issuer({ raw: (path) => path === '/token' });
  const healthy = server.issuer();
  const under = underTest(400);
  const slowProvider = providerAt(slow.issuer, { id: 'gitlab' });
  const begun = performance.now();
  const waiting = Array.from({ length: 40 }, () => outcomeOf(signIn(under, slow, slowProvider)));
  await sleep(100);
  t.ok(slow.requests.filter((one) => one === 'POST /token').length <= 16);
  const before = performance.now();
  t.equal((await signIn(under, healthy)).user.username, 'ada');
  t.ok(performance.now() - before < 300, 'another provider answers meanwhile');
  under.as('address:192.0.2.2');
  slow.falsify({});
  t.equal((await signIn(under, slow, slowProvider)).user.username, 'ada', 'another client has a slot');
  const outcomes = await Promise.all(waiting);
  t.ok(performance.now() - begun < 3000);
  t.ok(outcomes.every((one) => 'refused' in one && one.refused === 'provider_unavailable'));
  t.match(under.log.lines.join('\n'), /did not answer in time/);
  t.match(under.log.lines.join('\n'), /too many sign-ins are in progress/);
});

void t.test('the answers of users and errors of the callback have their own codes', async (t) => {
  const issuer = server.issuer();
  const { client: signInAt, log } = underTest();
  const provider = providerAt(issuer.issuer);
  const { kept } = await signInAt.start(provider, state);
  const { signal } = new AbortController();
  const codes = {
    access_denied: 'access_denied',
    server_error: 'provider_unavailable',
    temporarily_unavailable: 'provider_unavailable',
    invalid_scope: 'provider_refused',
    'made "up"\n': 'provider_refused',
  };
  for (const [error, refused] of Object.entries(codes))
    t.match(await outcomeOf(signInAt.identify(provider, kept, { error }, signal)), { refused }, error);
  t.match(await outcomeOf(signInAt.identify(provider, kept, {}, signal)), { refused: 'provider_answer_invalid' });
  t.notMatch(log.lines.join(''), /made/);
});

void t.test('a code that the provider does not accept is refused, and neither it nor secrets are logged', async (t) => {
  const issuer = server.issuer();
  const under = underTest();
  const outcome = await outcomeOf(
    signIn(under, issuer, undefined, (approved) => ({ ...approved, code: 'marker-of-a-code' })),
  );
  t.match(outcome, { refused: 'provider_refused', error: Forbidden });
  t.match(under.log.lines, [/invalid_grant/]);
  t.notMatch(under.log.lines.join(''), /marker-of-a-code|a-secret-of-the-forge/);
});

void t.test('a provider is inspected, and its problems are named', async (t) => {
  const issuer = server.issuer();
  const { client: signInAt } = underTest();
  const provider = providerAt(issuer.issuer);
  const steps = await signInAt.inspect(provider);
  t.ok(steps.every(({ outcome }) => outcome === 'good'));
  t.match(steps, [
    { title: 'Issuer', about: issuer.issuer },
    { title: 'Authorization endpoint', about: `${issuer.issuer}/authorize` },
    { title: 'Token endpoint', about: `${issuer.issuer}/token` },
    { title: 'Keys', about: `3 at ${issuer.issuer}/keys` },
  ]);
  const problems = async (of = provider) =>
    (await signInAt.inspect(of)).flatMap(({ outcome, about }) => (outcome === 'bad' ? [about] : []));
  issuer.falsify({
    metadata: ({ jwks_uri: _, ...rest }) => ({ ...rest, token_endpoint: 'http://example.com/', issuer: 'https://x' }),
  });
  t.strictSame(await problems(), [
    '"issuer" is another one than the configured issuer',
    '"token_endpoint" is neither https nor http on a loopback address',
    '"jwks_uri" is missing',
  ]);
  issuer.falsify({ keys: () => ({ keys: [] }) });
  t.strictSame(await problems(), ['it publishes no key']);
  issuer.falsify({ keys: (keys) => ({ keys: [...keys, { kty: 'oct', k: 'marker' }] }) });
  t.strictSame(await problems(), ['it publishes a private or symmetric key']);
  issuer.falsify({ raw: (_path, response) => (response.writeHead(404).end(), true) });
  t.strictSame(await problems(), ['its metadata is missing: status 404']);
  t.match(await problems(providerAt('http://127.0.0.1:1')), [/cannot be reached/]);
});

void t.test('weaknesses of a provider are named', async (t) => {
  const issuer = server.issuer({
    metadata: ({ issuer: name, authorization_endpoint, token_endpoint, jwks_uri }) => ({
      issuer: name,
      authorization_endpoint,
      token_endpoint,
      jwks_uri,
    }),
  });
  const steps = await underTest().client.inspect(providerAt(issuer.issuer));
  t.match(
    steps.flatMap(({ outcome, about }) => (outcome === 'unknown' ? [about] : [])),
    [/PKCE/, /RFC 9207/, /UserInfo/],
  );
  t.notOk(steps.some(({ outcome }) => outcome === 'bad'));
});

void t.test('addresses are https, or http on a loopback address', async (t) => {
  for (const address of ['https://id.example.com', 'https://x/realms/a', 'http://127.0.0.1:80', 'http://[::1]:8080/'])
    t.equal(addressMisfit(address), undefined, address);
  for (const address of [
    'http://id.example.com',
    'http://127.0.0.1.example.com',
    'http://2130706433.example.com',
    'https://user@x',
    'https://:secret@x',
    'https://x/#f',
    'https://x/#',
    'https://x/?q=1',
    'https://x\n/',
    'ftp://x',
    'x',
    '',
    `https://x/${'y'.repeat(2048)}`,
  ])
    t.type(addressMisfit(address), 'string', address);
});
