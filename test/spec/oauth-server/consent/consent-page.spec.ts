// Tests of the consent page and the sign-in page, which the server renders below /-/, in a browser without scripts.
import * as oidc from 'openid-client';
import t, { type Test } from 'tap';
import { Browser, policyOf } from '#test/support/servers/browser';
import type { Answer } from '#test/support/clients/client';
import { startTestForge, type TestForge } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import {
  approve,
  callback,
  encoded,
  exchange,
  expected,
  formType,
  makeApp,
  paths,
  pkce,
  postForm,
  requestOf,
  setSetting,
  tokensFor,
  type App,
} from '../flow.ts';

const page = '/-/oauth2/authorize';
const signInPath = '/-/sign-in';
const keys = pkce();

type Over = Readonly<Record<string, string | undefined>>;
const urlOf = (app: App, over: Over = {}): string => `${page}?${encoded(requestOf(app, keys, over))}`;
const browse = ({ anonymous, url }: TestForge): Browser => new Browser(anonymous, url);
const back = (browser: Browser): URLSearchParams => browser.location.searchParams;
const credentials = (user: { readonly username: string; readonly password: string }) => ({
  username: user.username,
  password: user.password,
});

/** A user with an application, and a signed-in browser. */
async function scene(forge: TestForge, over: Parameters<typeof makeApp>[1] = {}) {
  const user = await forge.createUser('visitor', { username: 'visitor' });
  const app = await makeApp(user.client, over);
  const browser = await browse(forge).open(signInPath);
  await browser.submit(credentials(user));
  return { user, app, browser };
}

/** Asserts the headers of every page (OAuth 2.0 Security Best Current Practice, clickjacking and referrer leaks). */
function holdsHeaders(t: Test, answer: Answer, leadsTo: readonly string[] = []): void {
  const directives = ['default-src', 'form-action', 'frame-ancestors', 'base-uri'];
  t.strictSame(
    directives.map((directive) => policyOf(answer, directive)),
    [["'none'"], ["'self'", ...leadsTo], ["'none'"], ["'none'"]],
  );
  t.equal(policyOf(answer, 'script-src'), undefined);
  t.strictSame(policyOf(answer, 'style-src'), ["'self'"]);
  t.strictSame(
    ['content-type', 'x-frame-options', 'referrer-policy', 'cross-origin-opener-policy', 'cache-control'].map((name) =>
      answer.headers.get(name),
    ),
    ['text/html; charset=utf-8', 'DENY', 'no-referrer', 'same-origin', 'no-store'],
  );
  t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  t.notMatch(answer.text, /<script|javascript:| on[a-z]+=| src=|<img|<iframe/);
}

void t.test('from the application to sign-in, consent, and back with a valid code', async (t) => {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  const visitor = await forge.createUser('visitor');
  const app = await makeApp(owner.client, { name: 'Notes' });
  const { authorization_endpoint: endpoint } = (await forge.anonymous.get(paths.metadata)).body as {
    authorization_endpoint: string;
  };
  t.equal(endpoint, forge.url + page);
  const browser = browse(forge);
  await browser.open(`${endpoint}?${encoded(requestOf(app, keys, { scope: 'read:user openid' }))}`);
  t.strictSame([browser.way, browser.location.pathname], [[302, 200], signInPath]);
  holdsHeaders(t, browser.page);

  await browser.submit({ username: visitor.username, password: 'not the password' });
  t.strictSame(browser.way, [401]);
  t.match(browser.text, /The username or password is wrong/);
  holdsHeaders(t, browser.page);
  t.equal(browser.cookie('svc_access_token'), undefined);
  await browser.submit({ username: visitor.username, password: '' });
  t.strictSame(browser.way, [400]);
  t.match(browser.text, /Password Password is required/);

  await browser.submit(credentials(visitor));
  t.strictSame([browser.way, browser.location.pathname], [[200, 200], page]);
  holdsHeaders(t, browser.page, ['https://app.example']);
  for (const said of [
    /Notes asks for access to your account/,
    /signed in as visitor/,
    /third party It is not part of this instance, which has not checked its name\. It was registered by owner/,
    /read your account read:user/,
    /know who you are openid/,
    /goes to app\.example/,
  ])
    t.match(browser.text, said);
  t.notMatch(browser.text, /write:repo|vouches/, 'no more than was requested');
  t.match(browser.page.text, /value="cancel"[^]*value="approve"/, 'Enter presses the first button');
  t.notMatch(browser.page.text, /autofocus/);

  await browser.submit({ decision: 'cancel' });
  t.strictSame(browser.way, [303]);
  t.equal(browser.location.origin + browser.location.pathname, callback);
  t.strictSame(
    [...back(browser)].filter(([name]) => name !== 'error_description'),
    [
      ['error', 'access_denied'],
      ['state', 'a state'],
      ['iss', forge.url],
    ],
  );

  await browser.open(urlOf(app));
  await browser.submit({ decision: 'approve' });
  t.strictSame([browser.way, back(browser).get('state'), back(browser).get('iss')], [[303], 'a state', forge.url]);
  const tokens = await exchange(forge, app, back(browser).get('code') ?? '', keys);
  t.equal(tokens.status, 200);
});

void t.test('remembered consent redirects at once, also after sign-in, but not in a frame or an image', async (t) => {
  const forge = await sharedForge(t);
  const { user, app, browser } = await scene(forge);
  await browser.open(urlOf(app));
  await browser.submit({ decision: 'approve', remember: 'true' });
  await browser.open(urlOf(app));
  t.strictSame([browser.way, browser.hasLeft], [[302], true]);
  t.equal((await exchange(forge, app, back(browser).get('code') ?? '', keys)).status, 200);

  const other = await browse(forge).open(urlOf(app));
  await other.submit(credentials(user));
  t.strictSame([other.way, other.hasLeft], [[200, 302], true], 'the sign-in form may end in a redirect anywhere');
  t.ok(back(other).get('code'));

  for (const dest of ['iframe', 'image', 'empty']) {
    await browser.open(urlOf(app), { 'sec-fetch-dest': dest });
    t.strictSame([browser.way, browser.form().fields['remember']], [[200], 'true'], dest);
  }
  await browser.open(urlOf(app, { prompt: 'consent' }));
  t.match(browser.text, /asks for access/, 'prompt=consent shows the page');
});

void t.test('400 with a page and without a redirect if the redirect URI is not one of the client’s', async (t) => {
  const forge = await sharedForge(t);
  const { user, app, browser } = await scene(forge);
  const suspended = await makeApp(user.client);
  await (await forge.administrator()).post(`${paths.adminApps}/${suspended.id}/suspend`);
  const cases: readonly (readonly [string, Over, RegExp])[] = [
    ['no client_id', { client_id: undefined }, /client_id is missing/],
    ['an unknown client', { client_id: '<b>nobody' }, /unknown or suspended/],
    ['a suspended client', { client_id: suspended.clientId }, /unknown or suspended/],
    ['no redirect_uri', { redirect_uri: undefined }, /redirect_uri is missing/],
    ['another redirect_uri', { redirect_uri: 'https://evil.example/' }, /not one that the client has registered/],
    ['response_type token', { response_type: 'token' }, /response_type must be code/],
    ['no PKCE', { code_challenge: undefined }, /PKCE is required/],
    ['method plain', { code_challenge_method: 'plain' }, /PKCE is required/],
    ['a state that is too long', { state: 'x'.repeat(2049) }, /"state"/],
  ];
  for (const [what, over, says] of cases) {
    for (const visitor of [browser, browse(forge)]) {
      await visitor.open(urlOf(app, over));
      t.strictSame(visitor.way, [400], what);
      t.match(visitor.text, says, what);
      holdsHeaders(t, visitor.page);
    }
    const posted = await postForm(forge.anonymous, urlOf(app, over), { decision: 'approve' });
    t.strictSame([posted.status, posted.headers.get('location')], [400, null], `${what}, POST`);
  }
  await browser.open(`${urlOf(app)}&client_id=${app.clientId}`);
  t.strictSame(browser.way, [400], 'a repeated parameter');
  await browser.open(urlOf(app));
  await browser.submit();
  t.strictSame(browser.way, [400], 'no decision');
  t.match(browser.text, /decision is missing/);
});

void t.test('other errors are sent to the redirect URI, with 302 after GET and 303 after POST', async (t) => {
  const forge = await sharedForge(t);
  const { user, app, browser } = await scene(forge);
  const cases: readonly (readonly [Over, string])[] = [
    [{ scope: 'read:everything' }, 'invalid_scope'],
    [{ resource: 'https://evil.example/' }, 'invalid_target'],
    [{ request: 'e30.e30.' }, 'request_not_supported'],
    [{ prompt: 'none' }, 'consent_required'],
  ];
  for (const [over, error] of cases) {
    await browser.open(urlOf(app, over));
    t.strictSame([browser.way, back(browser).get('error')], [[302], error]);
    t.equal(browser.location.origin + browser.location.pathname, callback);
  }
  const posted = await postForm(user.client, urlOf(app, { scope: 'x' }), { decision: 'approve' });
  t.equal(posted.status, 303);
  t.match(posted.headers.get('location'), /^https:\/\/app\.example\/callback\?error=invalid_scope&/);
  const anonymous = await browse(forge).open(urlOf(app, { prompt: 'none' }));
  t.strictSame([anonymous.way, back(anonymous).get('error')], [[302], 'login_required'], 'prompt=none shows no page');
});

void t.test(
  'the page needs a session: without one, with a token, and after the session has ended, it shows the sign-in form',
  async (t) => {
    const forge = await sharedForge(t);
    const { user, app, browser } = await scene(forge);
    const pat = await forge.pat(user.client, ['repo:admin']);
    const { access_token: token } = await tokensFor(forge, user.client, app);
    for (const client of [forge.anonymous, pat, forge.as(token)]) {
      for (const answer of [
        await client.get(urlOf(app)),
        await postForm(client, urlOf(app), { decision: 'approve', remember: 'true' }),
      ]) {
        const to = new URL(answer.headers.get('location') ?? '');
        t.equal(to.origin + to.pathname, forge.url + signInPath);
        const returned = new URL(to.searchParams.get('return_to') ?? '', forge.url);
        t.strictSame(Object.fromEntries(returned.searchParams), requestOf(app, keys));
      }
    }
    await browser.open(urlOf(app));
    await user.client.post('/api/v1/user/password', {
      body: { current_password: user.password, new_password: 'another password' },
    });
    await browser.submit({ decision: 'approve' });
    t.strictSame([browser.way, browser.location.pathname], [[303, 200], signInPath]);
    await browser.submit({ username: user.username, password: 'another password' });
    await browser.submit({ decision: 'approve' });
    t.ok(back(browser).get('code'), 'the flow continues');
  },
);

void t.test('signing in on the page has the cookies, throttle and audit entries of POST /auth/login', async (t) => {
  const forge = await sharedForge(t);
  const user = await forge.createUser('forgetful');
  const [posted, logged] = [
    await postForm(forge.anonymous, signInPath, credentials(user)),
    await forge.anonymous.post('/api/v1/auth/login', { body: credentials(user) }),
  ];
  const shape = (answer: Answer) => answer.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, '='));
  t.equal(posted.status, 200);
  t.equal(shape(logged).length, 2);
  t.strictSame(shape(posted), [...shape(logged), 'svc_page_session=; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax']);

  for (let failures = 0; failures < 10; failures++) {
    const wrong = { username: user.username, password: `wrong ${failures}` };
    const { status } =
      failures % 2 === 0
        ? await postForm(forge.anonymous, signInPath, wrong)
        : await forge.anonymous.post('/api/v1/auth/login', { body: wrong });
    t.equal(status, 401);
  }
  const throttled = await postForm(forge.anonymous, signInPath, credentials(user));
  t.equal(throttled.status, 429);
  t.ok(Number(throttled.headers.get('retry-after')) > 0);
  t.match(throttled.text, /Too many wrong passwords/);
  t.match(throttled.text, /<form method="post">/);
  t.strictSame(throttled.headers.getSetCookie(), []);
  t.equal(
    (await forge.anonymous.post('/api/v1/auth/login', { body: credentials(user) })).status,
    429,
    'the page and POST /auth/login share one throttle',
  );

  const admin = await forge.administrator();
  const entries = async (action: string) => {
    const answer = await admin.get(`/api/v1/admin/audit-log?action=${action}&per_page=100`);
    return JSON.stringify(answer.body).split(`"${action}"`).length - 1;
  };
  t.ok((await entries('user.login_failed')) >= 10);
  t.ok((await entries('user.login_throttled')) >= 1);

  const other = await forge.createUser('barred');
  await admin.patch(`/api/v1/admin/users/${other.id}`, { body: { status: 'suspended' } });
  const barred = await postForm(forge.anonymous, signInPath, credentials(other));
  t.equal(barred.status, 403);
  t.match(barred.text, /The account is suspended/);
});

void t.test('return_to leads only to this instance', async (t) => {
  const forge = await sharedForge(t);
  const user = await forge.createUser('visitor');
  const next = async (returnTo: string) => {
    const path = `${signInPath}?${encoded({ return_to: returnTo })}`;
    const shown = await forge.anonymous.get(path);
    t.equal(shown.status, 200, returnTo);
    t.notMatch(shown.text, /evil/, 'the form is submitted to the same page');
    const answer = await postForm(forge.anonymous, path, credentials(user));
    t.strictSame([answer.status, answer.headers.get('location')], [200, null], returnTo);
    return [answer.headers.get('refresh'), answer.text.includes('>Go on</a>')];
  };
  for (const bad of [
    '//evil.example',
    '//evil.example/-/',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/-/..//evil.example',
    '/%2e//evil.example',
    'https://evil.example',
    'https:evil.example',
    'HTTPS://evil.example',
    'javascript:alert(1)//evil',
    'data:text/html,evil',
    'evil.example',
    '@evil.example',
    '',
  ])
    t.strictSame(await next(bad), [null, false], bad);
  const good = { '/-/a?b=c%20d&e=/': '/-/a?b=c%20d&e=/', '/-/"><b>evil': '/-/%22%3E%3Cb%3Eevil', '/-/../-/a': '/-/a' };
  for (const [asked, path] of Object.entries(good))
    t.strictSame(await next(asked), [`0; url=${forge.url}${path}`, true], asked);
  t.strictSame(
    await next('/%2F/evil.example'),
    [`0; url=${forge.url}/%2F/evil.example`, true],
    'a path of this instance',
  );
});

void t.test(
  '403 csrf_rejected for a form of another site, with cookies, and also for sign-in without cookies',
  async (t) => {
    const forge = await sharedForge(t);
    const { user, app, browser } = await scene(forge);
    for (const origin of ['https://evil.example', 'null', forge.url.replace('127.0.0.1', '127.0.0.1.evil.example')]) {
      await browser.open(urlOf(app));
      await browser.submit({ decision: 'approve', remember: 'true' }, { origin });
      t.strictSame(browser.way, [403], origin);
      t.match(browser.text, /comes from another site/);
      const signIn = await postForm(forge.anonymous, signInPath, credentials(user), { origin });
      t.strictSame([signIn.status, signIn.headers.getSetCookie()], [403, []], `sign-in, ${origin}`);
    }
    for (const site of ['cross-site', 'same-site']) {
      const signIn = await postForm(forge.anonymous, signInPath, credentials(user), { 'sec-fetch-site': site });
      t.equal(signIn.status, 403, site);
    }
    const grants = (await user.client.get(paths.grants)).body as { total: number };
    t.equal(grants.total, 0, 'nothing was granted');
    await browser.open(urlOf(app));
    await browser.submit({ decision: 'approve' });
    t.ok(back(browser).get('code'), 'the page itself may submit, under its own policy');
  },
);

void t.test('texts of applications are shown as text, not as HTML', async (t) => {
  const forge = await sharedForge(t);
  const user = await forge.createUser('visitor');
  const name = `</title><script>alert("1")</script>'&amp;`;
  const description = `<form action="https://evil.example"><img src=x onerror=alert(1)> ${'\u05d0'}`;
  const made = expected(
    await user.client.post(paths.apps, {
      body: {
        name,
        description,
        homepage_url: 'https://app.example/?a=1&b=2',
        redirect_uris: ['http://[::1]:4711/cb'],
        scopes: ['read:user'],
      },
    }),
    201,
    'creating an application',
  ).body as { client_id: string };
  for (const hidden of ['a\u202eb', 'a\u0007b', 'a\nb'])
    t.equal((await user.client.post(paths.apps, { body: { name: hidden, redirect_uris: [callback] } })).status, 400);
  const app: App = { id: '', clientId: made.client_id, secret: undefined, redirectUri: 'http://[::1]:4711/cb' };
  const browser = await browse(forge).open(urlOf(app, { state: '"><script>' }));
  t.notMatch(browser.page.text, /"><script>/);
  await browser.submit(credentials(user));
  const { text } = browser.page;
  t.notMatch(text, /<script|<img|evil\.example"/);
  t.ok(browser.text.includes(`${name} asks for access`), browser.text);
  t.ok(browser.text.includes('<form action="https://evil.example">'));
  t.ok(browser.links.includes('https://app.example/?a=1&b=2'));
  t.strictSame(
    policyOf(browser.page, 'form-action'),
    ["'self'", 'http:'],
    'a content security policy cannot express an IPv6 address',
  );
  await browser.submit({ decision: 'approve' });
  t.equal(browser.location.host, '[::1]:4711');
});

void t.test('a client that registered itself is marked as such; a resource is named', async (t) => {
  const forge = await startTestForge(t);
  await setSetting(forge, 'oauth2.dcr.enabled', 'true');
  const user = await forge.createUser('visitor');
  const { client_id: clientId } = expected(
    await forge.anonymous.post(paths.register, {
      body: { redirect_uris: ['http://127.0.0.1/cb'], client_name: 'Hexforge support' },
    }),
    201,
    'registering',
  ).body as { client_id: string };
  const app: App = { id: '', clientId, secret: undefined, redirectUri: 'http://127.0.0.1:50999/cb' };
  const resource = `${forge.url}/api/v1/mcp/visitor/repo`;
  const browser = await browse(forge).open(urlOf(app, { resource }));
  await browser.submit(credentials(user));
  t.match(browser.text, /Hexforge support asks for access/);
  t.match(browser.text, /A third-party application that registered itself: nobody of this instance vouches for it/);
  t.ok(browser.text.includes(`At this address alone: ${resource}`));
  t.match(browser.text, /as an assistant \(MCP\) mcp:read/);
  t.match(browser.text, /goes to 127\.0\.0\.1:50999/);
  await browser.submit({ decision: 'approve' });
  t.equal(browser.location.host, '127.0.0.1:50999');

  await setSetting(forge, 'oauth2.enabled', 'false');
  for (const visitor of [browser, browse(forge)]) {
    await visitor.open(urlOf(app));
    t.strictSame(visitor.way, [503]);
    t.match(visitor.text, /switched off/);
    holdsHeaders(t, visitor.page);
  }
  const posted = await forge.anonymous.post(urlOf(app), { raw: 'decision=approve', headers: formType });
  t.strictSame([posted.status, posted.headers.get('content-type')], [503, 'text/html; charset=utf-8']);
});

void t.test('openid-client runs the flow through the page', async (t) => {
  const forge = await startTestForge(t);
  const user = await forge.createUser('visitor');
  const app = await makeApp(user.client);
  const config = await oidc.discovery(new URL(forge.url), app.clientId, {}, oidc.ClientSecretBasic(app.secret ?? ''), {
    execute: [oidc.allowInsecureRequests],
  });
  for (const prompt of ['login', 'consent'] as const) {
    const verifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: app.redirectUri,
      scope: 'openid profile read:user',
      state,
      nonce,
      prompt,
      max_age: '0',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const browser = await browse(forge).open(url);
    await browser.submit(credentials(user));
    await browser.submit({ decision: 'approve' });
    const tokens = await oidc.authorizationCodeGrant(config, browser.location, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      maxAge: 0,
      idTokenExpected: true,
    });
    t.match(tokens.claims(), { sub: user.id, aud: app.clientId, preferred_username: 'visitor' });
    const info = await oidc.fetchUserInfo(config, tokens.access_token, user.id);
    t.equal(info.preferred_username, 'visitor');
  }
  // Consent is given and remembered through the API; the page must use it.
  await approve(user.client, requestOf(app, keys, { scope: 'read:user' }), { decision: 'yes', remember: 'true' });
  const browser = await browse(forge).open(urlOf(app, { scope: 'read:user' }));
  await browser.submit(credentials(user));
  t.ok(back(browser).get('code'));
});
