// Programs get access to an account: by a personal access token, and by an OAuth2 application that the user approves.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import * as oidc from 'openid-client';
import t from 'tap';
import { fixedClock, testHost } from '#host/sdk/testing';
import { stockGit } from '#test/support/servers/stock-git';
import { startChromium } from '../../../tools/peers/chromium.ts';
import { signIn, visitor, type Visitor } from '../visitor.ts';

const browser = await startChromium();
t.teardown(() => browser.close());

const button = ({ page }: Visitor, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

void t.test('a personal access token is shown once, works, and is revoked', async (t) => {
  await using forge = await testHost([], { repositories: ['ada/site'] });
  const who = await visitor(browser, forge.url);
  const { page } = who;
  await signIn(who, await forge.user('ada'));
  await page.goto('/-/settings/tokens');
  await page.getByRole('link', { name: 'New token' }).click();
  await page.getByLabel('Name', { exact: true }).fill('laptop');
  await page.getByLabel('repo:write').check();
  await page.getByLabel('repo:read').check();
  await button(who, 'Create token');
  const token = await page.getByLabel('Token', { exact: true }).inputValue();

  const asToken = { headers: { authorization: `Bearer ${token}` } };
  t.equal((await forge.anonymous.get('/repos/ada/site', asToken)).status, 200);
  const work = await stockGit(t);
  const remote = `${forge.url.replace('://', `://ada:${token}@`)}/ada/site.git`;
  await work.git('init', '-q', '-b', 'main');
  await work.commit('Begin', { 'README.md': '# Site\n' });
  await work.git('push', '-q', remote, 'main');

  await page.getByRole('link', { name: 'Done' }).click();
  await page.getByText('laptop').waitFor();
  t.notMatch(await page.content(), token, 'the list does not show it');
  await t.rejects(page.goBack(), /ERR_CACHE_MISS/, 'the browser has kept no copy of the page with the token');
  await page.waitForURL('chrome-error://**');
  await page.goto('/-/settings/tokens');
  await page.reload();
  t.notMatch(await page.content(), token, 'nor does the list after a reload');
  await page.getByText('Revoke…', { exact: true }).click();
  await button(who, 'Revoke the token');
  await page.getByText('You have no access token').waitFor();
  t.equal((await forge.anonymous.get('/repos/ada/site', asToken)).status, 401);
  t.not((await work.ran('ls-remote', remote)).code, 0);
  t.strictSame(who.problems(), []);
});

/** The application: it waits for the answers that browsers bring to its callback. */
async function application() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,"><h1>Back</h1>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
}

void t.test('an application gets access by consent, and loses it when it is taken back', async (t) => {
  // The client compares times of the tokens with its own clock.
  await using forge = await testHost([], { clock: fixedClock(new Date().toISOString()), users: ['ada', 'bo'] });
  const callback = await application();
  const owner = await visitor(browser, forge.url);
  await signIn(owner, await forge.user('ada'));
  await owner.page.goto('/-/settings/applications/new');
  await owner.page.getByLabel('Name', { exact: true }).fill('Calendar');
  await owner.page.getByLabel('Redirect URIs').fill(callback);
  for (const scope of ['openid', 'profile', 'read:user']) {
    const box = owner.page.locator(`input[name=scopes][value="${scope}"]`);
    await box.check();
  }
  await button(owner, 'Create application');
  const clientId = await owner.page.getByLabel('Client ID').inputValue();
  const secret = await owner.page.getByLabel('Client secret').inputValue();
  await owner.page.getByRole('link', { name: 'Done' }).click();
  t.notMatch(await owner.page.content(), secret, 'the secret is shown once');

  const config = await oidc.discovery(new URL(forge.url), clientId, {}, oidc.ClientSecretBasic(secret), {
    execute: [oidc.allowInsecureRequests],
  });
  const begin = async () => {
    const [pkceCodeVerifier, expectedState] = [oidc.randomPKCECodeVerifier(), oidc.randomState()];
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid profile read:user',
      state: expectedState,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    return { url, checks: { pkceCodeVerifier, expectedState, idTokenExpected: true } };
  };

  const user = await visitor(browser, forge.url);
  const { page } = user;
  const { password } = await forge.user('bo');
  const first = await begin();
  await page.goto(first.url.href);
  await page.getByLabel('Username').fill('bo');
  await page.getByLabel('Password').fill(password);
  await button(user, 'Sign in');
  await page.getByRole('heading', { name: 'Calendar asks for access to your account' }).waitFor();
  await button(user, 'Cancel');
  await page.waitForURL(`${callback}?**`);
  t.equal(new URL(page.url()).searchParams.get('error'), 'access_denied');

  const second = await begin();
  await page.goto(second.url.href);
  await button(user, 'Approve');
  await page.waitForURL(`${callback}?**`);
  const tokens = await oidc.authorizationCodeGrant(config, new URL(page.url()), second.checks);
  t.match(tokens.claims(), { preferred_username: 'bo' });
  t.match(await oidc.fetchUserInfo(config, tokens.access_token, oidc.skipSubjectCheck), { preferred_username: 'bo' });
  const asToken = { headers: { authorization: `Bearer ${tokens.access_token}` } };
  t.equal((await forge.anonymous.get('/user', asToken)).status, 200);

  await page.goto('/-/settings/grants');
  await page.getByText('Calendar').waitFor();
  await page.getByText('Revoke…', { exact: true }).click();
  await button(user, 'Revoke the access');
  await page.getByText('You have granted no application access').waitFor();
  t.equal((await forge.anonymous.get('/user', asToken)).status, 401);
  await t.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token ?? ''), 'nor can it be renewed');
  t.strictSame(owner.problems(), []);
  t.strictSame(
    user.problems().filter((problem) => !problem.startsWith(`a request to ${callback}?`)),
    [],
  );
});
