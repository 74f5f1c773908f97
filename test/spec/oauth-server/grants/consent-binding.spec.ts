// An approval grants what the page or the JSON answer showed: the scopes, the application and the redirect URI. After
// any change the user is asked again.
import t from 'tap';
import { Browser } from '#test/support/servers/browser';
import { sharedForge } from '#test/support/shared-forge';
import {
  approve,
  askConsent,
  callback,
  decide,
  encoded,
  exchange,
  makeApp,
  paths,
  pkce,
  requestOf,
  tokensFor,
  type App,
  type Tokens,
} from '../flow.ts';

const keys = pkce();
const other = 'https://other.example/callback';
const narrow = ['read:user'];
const wide = ['read:user', 'read:repo', 'write:repo'];

interface Asked {
  readonly decision?: string;
  readonly scopes_requested?: readonly string[];
  readonly shown?: string;
  readonly redirect_url?: string;
}

async function scene(t: Parameters<typeof sharedForge>[0]) {
  const forge = await sharedForge(t);
  const owner = await forge.createUser('owner');
  const visitor = await forge.createUser('visitor');
  const app = await makeApp(owner.client, { scopes: narrow, redirect_uris: [callback, other], name: 'Notes' });
  const change = (body: object) => owner.client.patch(`${paths.apps}/${app.id}`, { body });
  const granted = async () =>
    ((await visitor.client.get(paths.grants)).body as { items: readonly { scopes: readonly string[] }[] }).items;
  return { forge, owner, visitor, app, change, granted };
}

void t.test('a request without scope is approved with the list that the answer named', async (t) => {
  const { forge, visitor, app, change, granted } = await scene(t);
  const query = requestOf(app, keys);
  const shown = (await askConsent(visitor.client, query)).body as Asked;
  t.strictSame(shown.scopes_requested, narrow);
  t.equal((await change({ scopes: wide })).status, 200);
  for (const form of [
    { decision: 'approve', scope: 'read:user' },
    { decision: 'approve', scope: 'read:user', remember: 'true' },
    { decision: 'approve', shown: shown.shown ?? '' },
    { decision: 'approve' },
    { decision: 'approve', scope: '"' },
  ]) {
    const answer = await decide(visitor.client, query, form);
    t.equal(answer.status, 200, JSON.stringify(form));
    const again = answer.body as Asked;
    t.strictSame([again.decision, again.redirect_url], ['consent_required', undefined], JSON.stringify(form));
    t.strictSame(again.scopes_requested, wide);
  }
  t.strictSame(await granted(), [], 'nothing is granted or remembered');
  const code = (await approve(visitor.client, query, { decision: 'approve', scope: wide.join(' ') })).get('code') ?? '';
  const tokens = (await exchange(forge, app, code, keys)).body as Tokens;
  t.equal(tokens.scope, wide.join(' '));
});

void t.test('a scope of the form that is not that of the request is asked again', async (t) => {
  const { visitor, app, change } = await scene(t);
  await change({ scopes: wide });
  const query = requestOf(app, keys, { scope: wide.join(' ') });
  for (const scope of ['read:user', `${wide.join(' ')} email`])
    t.match((await decide(visitor.client, query, { decision: 'approve', scope })).body, {
      decision: 'consent_required',
    });
  t.ok((await approve(visitor.client, query, { decision: 'approve', scope: wide.toReversed().join(' ') })).get('code'));
  t.ok((await approve(visitor.client, query)).get('code'), 'a request with scope names its own list');
});

void t.test('`shown` binds the application, the redirect URI, the scopes and the user', async (t) => {
  const { forge, owner, visitor, app, change } = await scene(t);
  const query = requestOf(app, keys);
  const shownTo = async (client = visitor.client, over = {}) =>
    ((await askConsent(client, { ...query, ...over })).body as Asked).shown ?? '';
  const outcome = async (shown: string, over = {}) => {
    const { body } = await decide(visitor.client, { ...query, ...over }, { decision: 'approve', shown });
    return (body as Asked).redirect_url === undefined ? 'asked' : 'granted';
  };
  t.equal(await outcome(await shownTo()), 'granted');
  t.equal(await outcome(await shownTo(), { redirect_uri: other }), 'asked', 'another redirect URI');
  t.equal(await outcome(await shownTo(), { scope: 'read:user' }), 'granted', 'the same scopes');
  t.equal(await outcome(await shownTo(owner.client)), 'asked', 'shown to another user');
  t.equal(await outcome('x'.repeat(64)), 'asked', 'made up');
  const second = await makeApp(owner.client, { scopes: narrow, name: 'Notes' });
  t.equal(await outcome(await shownTo(), { client_id: second.clientId }), 'asked', 'another application');
  const resource = `${forge.url}/api/v1/mcp/owner/repo`;
  t.equal(await outcome(await shownTo(visitor.client, { resource })), 'asked', 'another resource');
  for (const body of [
    { name: 'Bank' },
    { description: 'New' },
    { homepage_url: 'https://bank.example' },
    { scopes: wide },
  ]) {
    const shown = await shownTo();
    await change(body);
    t.equal(await outcome(shown), 'asked', JSON.stringify(body));
    t.equal(await outcome(await shownTo()), 'granted');
  }
});

void t.test('the page asks again when the application has changed, or another user has signed in', async (t) => {
  const { forge, owner, visitor, app, change, granted } = await scene(t);
  const url = `/-/oauth2/authorize?${encoded(requestOf(app, keys))}`;
  const signIn = async (browser: Browser, user: { readonly username: string; readonly password: string }) => {
    await browser.open('/-/sign-in');
    return browser.submit({ username: user.username, password: user.password });
  };
  const browser = new Browser(forge.anonymous, forge.url);
  await signIn(browser, visitor);
  for (const body of [{ scopes: wide }, { name: 'Bank' }, { redirect_uris: [callback] }]) {
    await browser.open(url);
    await change(body);
    await browser.submit({ decision: 'approve', remember: 'true' });
    if ('redirect_uris' in body) continue;
    t.notOk(browser.hasLeft, JSON.stringify(body));
    t.match(browser.text, /asks for access/);
  }
  t.ok(browser.hasLeft, 'a list of redirect URIs that still has the requested one is the same question');
  t.strictSame((await granted())[0]?.scopes, wide);

  await browser.open(`${url}&prompt=consent`);
  t.match(browser.text, /You are signed in as visitor/);
  const { action, fields } = browser.form();
  await signIn(browser, owner);
  await browser.open(`${url}&prompt=consent`);
  t.match(browser.text, /You are signed in as owner/);
  await browser.submit({ ...fields, decision: 'approve' });
  t.notOk(browser.hasLeft, `the form that ${action.pathname} showed to another user`);
});

void t.test('cancelling needs no unchanged question', async (t) => {
  const { visitor, app, change } = await scene(t);
  const query = requestOf(app as App, keys);
  await change({ scopes: wide });
  const back = await approve(visitor.client, query, { decision: 'cancel', scope: 'read:user', shown: 'old' });
  t.equal(back.get('error'), 'access_denied');
});

void t.test('an approval without scope is granted if its scopes have not changed since the sign-in', async (t) => {
  const { forge, visitor, app, change } = await scene(t);
  t.equal((await tokensFor(forge, visitor.client, app)).scope, 'read:user');
  await change({ scopes: wide });
  const later = await forge.signIn('visitor', visitor.password);
  t.equal((await tokensFor(forge, later, app)).scope, wide.join(' '));
});
