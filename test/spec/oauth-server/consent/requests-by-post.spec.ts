// Tests of authorization requests by POST, scopes that grant nothing, and the hint of an ID token (OpenID Connect Core,
// sections 3.1.2.1 and 5.4).
import t from 'tap';
import { Browser } from '#test/support/servers/browser';
import { sharedForge } from '#test/support/shared-forge';
import type { TestForge } from '#test/support/forge';
import {
  approve,
  askConsent,
  callback,
  encoded,
  exchange,
  expected,
  makeApp,
  paths,
  pkce,
  postForm,
  refresh,
  requestOf,
  setSetting,
  tokensFor,
} from '../flow.ts';

const page = '/-/oauth2/authorize';
const keys = pkce();
const elsewhere = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' };

async function scene(forge: TestForge) {
  const user = await forge.createUser('poster', { username: 'poster' });
  const app = await makeApp(user.client);
  const browser = await new Browser(forge.anonymous, forge.url).open('/-/sign-in');
  await browser.submit({ username: user.username, password: user.password });
  const cookie = `svc_access_token=${browser.cookie('svc_access_token') ?? ''}`;
  return { user, app, browser, cookie };
}

void t.test('the page answers a request by POST as one by GET', async (t) => {
  const forge = await sharedForge(t);
  const { app, cookie } = await scene(forge);
  const request = requestOf(app, keys, { scope: 'openid offline_access', nonce: 'n' });
  const post = (fields: typeof request, headers: Readonly<Record<string, string>> = { cookie }) =>
    postForm(forge.anonymous, page, fields, headers);
  const asked = await post(request);
  const shown = await forge.anonymous.get(`${page}?${encoded(request)}`, { headers: { cookie } });
  t.strictSame([asked.status, asked.text], [200, shown.text], 'the same page');
  t.equal((await post(request, { cookie, origin: 'https://app.example' })).status, 200, 'also from another site');

  const action = /<form method="post" action="([^"]*)"/.exec(asked.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const answered = await postForm(
    forge.anonymous,
    page + action,
    { decision: 'approve', remember: 'true' },
    { cookie },
  );
  const back = new URL(answered.headers.get('location') ?? '').searchParams;
  t.strictSame([answered.status, back.get('state')], [303, 'a state']);
  const tokens = expected(await exchange(forge, app, back.get('code') ?? '', keys), 200, 'the exchange').body;
  t.match(tokens, { scope: 'openid', id_token: /./ });
  const remembered = await post(request);
  t.equal(remembered.status, 303);
  t.ok(new URL(remembered.headers.get('location') ?? '').searchParams.get('code'), 'a remembered answer');

  for (const [what, over, error] of [
    ['an unknown scope', { scope: 'openid everything' }, 'invalid_scope'],
    ['nothing that is granted', { scope: 'offline_access' }, 'invalid_scope'],
    ['no question', { prompt: 'none', scope: 'read:repo' }, 'consent_required'],
  ] as const) {
    const refused = await post({ ...request, ...over });
    const to = new URL(refused.headers.get('location') ?? '');
    t.strictSame([refused.status, to.origin + to.pathname, to.searchParams.get('error')], [303, callback, error], what);
  }
  for (const over of [
    { redirect_uri: 'https://evil.example/' },
    { client_id: 'nobody' },
    { code_challenge: undefined },
  ])
    t.equal((await post({ ...request, ...over })).status, 400, JSON.stringify(over));
  t.equal((await post({ client_id: undefined, decision: undefined })).status, 400, 'neither a request nor an answer');
  const twice = await forge.anonymous.post(page, {
    raw: `${encoded(request)}&state=b`,
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
  });
  t.equal(twice.status, 400, 'a repeated parameter');
});

void t.test('a post without a session leads to the sign-in page and back', async (t) => {
  const forge = await sharedForge(t);
  const { app, browser, cookie } = await scene(forge);
  const request = requestOf(app, keys, { scope: 'openid' });
  const plain = await postForm(forge.anonymous, page, request);
  const signIn = new URL(plain.headers.get('location') ?? '');
  t.strictSame([plain.status, signIn.pathname], [303, '/-/sign-in']);
  t.equal(signIn.searchParams.get('return_to'), `${page}?${new URLSearchParams(encoded(request))}`);
  // The browser withholds the cookie from a form of another site, and sends it with GET.
  const withheld = await postForm(forge.anonymous, page, request, elsewhere);
  t.equal(withheld.status, 303);
  await browser.open(withheld.headers.get('location') ?? '');
  t.match(browser.text, /asks for access to your account/);
  const silent = await postForm(forge.anonymous, page, { ...request, prompt: 'none' }, elsewhere);
  t.equal(new URL(silent.headers.get('location') ?? '').pathname, page, 'also if no page may be shown');

  const forged = await postForm(
    forge.anonymous,
    `${page}?${encoded(request)}`,
    { decision: 'approve' },
    { cookie, ...elsewhere },
  );
  t.equal(forged.status, 403, 'another site cannot answer the question');
  t.match(forged.text, /comes from another site/);
});

void t.test('offline_access, address and phone are accepted wherever scopes are requested', async (t) => {
  const forge = await sharedForge(t);
  const { user, app } = await scene(forge);
  const scope = 'phone openid address offline_access profile';
  const tokens = await tokensFor(forge, user.client, app, { scope });
  t.equal(tokens.scope, 'openid profile');
  const again = expected(await refresh(forge, app, tokens.refresh_token, { scope }), 200, 'the refresh').body;
  t.match(again, { scope: 'openid profile' });
  const { refresh_token: next } = again as { refresh_token: string };
  const nothing = await refresh(forge, app, next, { scope: 'phone' });
  t.match([nothing.status, nothing.body], [400, { error: 'invalid_scope' }]);
  const asked = await askConsent(user.client, requestOf(app, keys, { scope }));
  t.strictSame((asked.body as { scopes_requested: string[] }).scopes_requested, ['openid', 'profile']);
  await setSetting(forge, 'oauth2.dcr.enabled', 'true');
  t.teardown(() => setSetting(forge, 'oauth2.dcr.enabled', 'false'));
  for (const registered of ['mcp:read offline_access', 'offline_access']) {
    const made = await forge.anonymous.post(paths.register, {
      body: { redirect_uris: ['http://127.0.0.1/cb'], scope: registered },
    });
    t.match([made.status, made.body], [201, { scope: 'mcp:read' }], registered);
  }
});

void t.test('an ID token as a hint: no other user is answered', async (t) => {
  const forge = await sharedForge(t);
  const { user, app, browser } = await scene(forge);
  const other = await forge.createUser('another');
  const { id_token: hint = '' } = await tokensFor(forge, user.client, app, { scope: 'openid' });
  const request = requestOf(app, keys, { scope: 'openid', id_token_hint: hint });
  t.equal((await askConsent(user.client, request)).status, 200);
  t.ok((await approve(user.client, request)).get('code'));
  const refused = await askConsent(other.client, { ...request, prompt: 'none' });
  t.equal(new URL(refused.headers.get('location') ?? '').searchParams.get('error'), 'login_required');
  const [head, , signature] = hint.split('.');
  const forgedBy = (claims: object): string =>
    [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
  for (const bad of [
    'x',
    'a.b.c',
    forgedBy({ iss: 'https://evil.example', sub: user.id }),
    forgedBy([]),
    forgedBy({ iss: forge.url, sub: 1 }),
  ]) {
    const answer = await askConsent(user.client, { ...request, id_token_hint: bad });
    t.equal(new URL(answer.headers.get('location') ?? '').searchParams.get('error'), 'invalid_request', bad);
  }
  await browser.open(`${page}?${encoded({ ...request, id_token_hint: forgedBy({ iss: forge.url, sub: other.id }) })}`);
  t.equal(browser.location.pathname, '/-/sign-in', 'the page lets the user change the account');
});
