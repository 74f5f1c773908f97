// Tests the pages of accounts: signing in and up, the page of a user, and the settings of the own account.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';
import type { Page } from '#host/sdk/testing/browser';

/** A text that would run if it were not escaped, and a character that reverses the text after it. */
const hostile = '<img src=x onerror="alert(1)">\u{202e}';

const withoutSpaces = (html: string): string => html.replaceAll(/\s+/g, ' ');
/** The index of the form that is sent to this path. */
const at = ({ forms }: Page, action: string): number => forms.findIndex((form) => form.action === action);

void t.test('signing in', async (t) => {
  await using forge = await testHost([], { settings: { 'signup.enabled': true } });
  const browser = forge.browser();
  const page = await browser.open('/-/sign-in?return_to=%2F-%2Fsettings%2Fprofile');
  t.match(page.html, /This instance is new/, 'until somebody has signed in');
  t.match((await browser.open('/')).html, /Welcome to Hexforge[^]*This instance is new/);
  t.match(page.html, /href="\/-\/sign-up\?return_to=%2F-%2Fsettings%2Fprofile"/);
  const refused = await browser.submit(page, { username: 'admin"><b>', password: 'wrong password' });
  t.match(refused, { status: 401, html: /role="alert"><b>The username or password is wrong<\/b>/ });
  t.match(refused.html, /value="admin&quot;&gt;&lt;b&gt;"/, 'the name is kept');
  t.notMatch(refused.html, /wrong password"/);
  const empty = await browser.submit(page, { username: 'admin', password: '' });
  t.match(empty, { status: 400, html: /id="password-error">Password is required/ });
  const { password } = await forge.user('admin');
  const signedIn = await browser.submit(empty, { username: 'admin', password });
  t.match([signedIn.status, signedIn.headers['refresh']], [200, `0; url=${forge.url}/-/settings/profile`]);
  for (const path of ['/', '/-/sign-in'])
    t.notMatch((await forge.browser().open(path)).html, /This instance is new/, path);

  await forge.user('bob');
  const bob = forge.browser();
  const again = (values: Readonly<Record<string, string>>): Promise<Page> => bob.submit(page, values);
  await forge.as('admin').patch(`/admin/users/${(await forge.user('bob')).id}`, { json: { status: 'suspended' } });
  t.match(await again({ username: 'bob', password: 'password of bob' }), {
    status: 403,
    html: /The account is suspended/,
  });
  const told = await bob.open('/-/sign-in?error=account_unknown');
  t.match(told.html, /There is no account for this user/);
  for (const code of ['toString', '<b>nothing'])
    t.notMatch((await bob.open(`/-/sign-in?error=${encodeURIComponent(code)}`)).html, /role="alert"|<b>nothing/);
});

void t.test('signing up', async (t) => {
  await t.test('signs in', async (t) => {
    await using forge = await testHost([], { settings: { 'signup.enabled': true }, users: ['alice'] });
    const browser = forge.browser();
    const page = await browser.open('/-/sign-up');
    const taken = { username: 'Alice', email: 'a@example.com', password: 'a long password', display_name: hostile };
    const refused = await browser.submit(page, taken);
    t.match(refused, { status: 422, html: /id="username-error">Username belongs to another account/ });
    t.match(refused.html, /value="a@example.com"/);
    t.notMatch(refused.html, /role="alert"/, 'the message is beside the field alone');
    t.notMatch(refused.html, /a long password|<img/);
    const short = await browser.submit(page, { ...taken, username: 'carol', display_name: 'Carol', password: 'short' });
    t.match(short, { status: 422, html: /id="password-error">Password has 8 to 256 characters/ });
    const values = { username: 'carol', email: 'carol@example.com', password: 'a long password', display_name: '' };
    t.match(await browser.submit(page, values), { status: 200, path: '/' });
    t.match((await browser.open('/carol')).html, /href="\/-\/settings\/profile"/, 'signed in');
  });
  await t.test('leads to the page that linked to it, of this instance', async (t) => {
    await using forge = await testHost([], { settings: { 'signup.enabled': true } });
    for (const [name, returnTo, refresh] of [
      ['erin', '/-/keys?a=b', `0; url=${forge.url}/-/keys?a=b`],
      ['frank', '//evil.example', undefined],
    ] as const) {
      const browser = forge.browser();
      const page = await browser.open(`/-/sign-up?return_to=${encodeURIComponent(returnTo)}`);
      t.match(page.html, `href="/-/sign-in?return_to=${encodeURIComponent(returnTo)}"`.replaceAll('&', '&amp;'));
      const values = { username: name, email: `${name}@example.com`, password: 'short' };
      const refused = await browser.submit(page, values);
      t.equal(refused.status, 422);
      const signedIn = await browser.submit(refused, { ...values, password: 'a long password' });
      t.strictSame([signedIn.status, signedIn.headers['refresh']], [200, refresh], returnTo);
      t.equal((await browser.open('/-/settings/profile')).path, '/-/settings/profile');
    }
  });
  await t.test('shows that the account waits for approval', async (t) => {
    await using forge = await testHost([], {
      settings: { 'signup.enabled': true, 'signup.require_approval': true },
    });
    const browser = forge.browser();
    const values = { username: 'dave', email: 'dave@example.com', password: 'a long password' };
    const answer = await browser.submit(await browser.open('/-/sign-up'), values);
    t.match(withoutSpaces(answer.html), /The account waits for approval\. An administrator has to approve it first\./);
    t.strictSame(browser.cookies, {});
    t.equal((await browser.open('/dave')).status, 404, 'there is no page of the account yet');
  });
  await t.test('is closed by default', async (t) => {
    await using forge = await testHost([]);
    const browser = forge.browser();
    t.match((await browser.open('/-/sign-up')).html, /Registration is closed/);
    t.notMatch((await browser.open('/-/sign-in')).html, /sign-up/);
    const body = 'username=eve&email=eve%40example.com&password=a+long+password';
    const answer = await browser.request('POST', new URL('/-/sign-up', forge.url), {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    t.match([answer.status, answer.body], [403, /Registration is closed on this instance/]);
  });
});

void t.test('the page of a user', async (t) => {
  await using forge = await testHost([], {
    users: ['bob'],
    repositories: (['public', 'internal', 'private'] as const).map((visibility) => ({
      path: `alice/${visibility}`,
      visibility,
      description: hostile,
    })),
  });
  await forge.as('alice').patch('/user', { json: { bio: hostile, display_name: hostile.slice(0, -1) } });
  const names = ({ html }: Page): readonly string[] =>
    [...html.matchAll(/href="\/alice\/(\w+)"/g)].map(([, name = '']) => name).sort();
  for (const [username, seen] of [
    [undefined, ['public']],
    ['bob', ['internal', 'public']],
    ['alice', ['internal', 'private', 'public']],
    ['admin', ['internal', 'private', 'public']],
  ] as const) {
    const page = await forge.browser(username).open('/Alice');
    t.strictSame(names(page), seen, username ?? 'anonymous');
    t.notMatch(page.html, /<img|\u{202e}|alice@example/u);
    t.equal(/href="\/-\/settings\/profile" data-key/.test(page.html), username === 'alice');
  }
  const token = forge.as('alice', { scopes: ['issue:read'] });
  const { body } = await token.get(new URL('/alice', forge.url));
  t.strictSame(names({ html: String(body) } as Page), ['public'], 'a token shows what everybody sees');
  for (const path of ['/nobody', '/-', '/api', '/a%20b', '/alice.git', '/..%2falice'])
    t.equal((await forge.browser('bob').open(path)).status, 404, path);
  for (let count = 0; count < 31; count += 1) await forge.repository(`bob/r${String(count)}`, { visibility: 'public' });
  const first = await forge.browser().open('/bob');
  const second = await forge.browser().open('/bob?page=2');
  t.strictSame(
    [first, second].map(({ html }) => [html.match(/<li>\s*<span class="mark">/g)?.length, /rel="next"/.test(html)]),
    [
      [30, true],
      [1, false],
    ],
  );
});

void t.test('settings', async (t) => {
  await using forge = await testHost([], { users: ['bob'] });
  const alice = forge.browser('alice');
  const own = async (): Promise<unknown> => (await forge.as('alice').get('/user')).body;

  await t.test('are for sessions alone', async (t) => {
    t.match(await alice.open('/-/settings'), { status: 200, path: '/-/settings/profile' });
    for (const path of ['', '/profile', '/password', '/tokens', '/tokens/new', '/sessions']) {
      const signIn = await forge.browser().open(`/-/settings${path}`);
      t.match(signIn.path, /^\/-\/sign-in\?return_to=/, path);
      const token = forge.as('bob', { scopes: ['admin:users'] });
      t.equal((await token.get(new URL(`/-/settings${path}`, forge.url))).status, 403, path);
    }
  });

  await t.test('profile', async (t) => {
    const page = await alice.open('/-/settings/profile');
    const values = { display_name: 'Alice', bio: 'One\r\ntwo', avatar_url: '', email: 'new@example.com' };
    const saved = await alice.submit(page, values);
    t.match(saved, { status: 200, html: /role="status">The profile is saved/ });
    t.match(await own(), { display_name: 'Alice', bio: 'One\ntwo', avatar_url: '', email: 'new@example.com' });
    const refused = await alice.submit(page, { ...values, display_name: hostile, avatar_url: 'javascript:alert(1)' });
    t.match(refused, {
      status: 422,
      html: /id="avatar_url-error">Picture is an http or https URL, or empty/,
    });
    t.match(refused.html, /value="&lt;img src=x/);
    const taken = await alice.submit(page, { ...values, email: 'Bob@example.com' });
    t.match(taken, { status: 422, html: /id="email-error">E-mail address belongs to another account/ });
    await alice.submit(page, { bio: 'Three' });
    t.match(await own(), { display_name: 'Alice', bio: 'Three' }, 'what an open page shows is not written back');
    await alice.submit(await alice.open('/-/settings/profile'), { display_name: '', bio: '' });
    t.match(await own(), { display_name: '', bio: '' });
  });

  await t.test('password', async (t) => {
    const other = forge.browser('alice');
    await other.open('/-/settings/profile');
    const page = await alice.open('/-/settings/password');
    const wrong = await alice.submit(page, { current_password: 'not mine', new_password: 'another password' });
    t.match(wrong, { status: 422, html: /id="current_password-error"/ });
    t.notMatch(wrong.html, /not mine|another password/);
    const short = await alice.submit(page, { current_password: 'password of alice', new_password: 'short' });
    t.match(short, { status: 422, html: /id="new_password-error">New password has 8 to 256 characters/ });
    const values = { current_password: 'password of alice', new_password: 'password of alice' };
    t.match(await alice.submit(page, values), { status: 200, html: /The password is changed/ });
    t.match((await other.open('/-/settings/profile')).path, /sign-in/, 'other sessions have ended');
  });

  await t.test('access tokens', async (t) => {
    t.match((await alice.open('/-/settings/tokens')).html, /You have no access token/);
    const page = await alice.open('/-/settings/tokens/new');
    t.match(withoutSpaces(page.html), /<code>repo:write<\/code> <span class="muted">change repositories that you/);
    t.match(page.forms[0]?.fields, { expires_at: '2026-01-31' });
    const past = await alice.submit(page, { name: hostile, scopes: 'repo:read', expires_at: '2025-01-01' });
    t.match(past, { status: 422, html: /id="expires_at-error">Is in the past/ });
    t.match(past.html, /value="repo:read"\s+checked/);
    t.notMatch(past.html, /<img/);
    const created = await alice.submit(page, { name: hostile.slice(0, -1), scopes: 'repo:read', expires_at: '' });
    t.match(
      [created.status, created.path, created.headers['cache-control']],
      [200, '/-/settings/tokens/new', 'no-store'],
    );
    t.match(created.html, /data-copies="token" hidden/, 'a button that a script shows');
    const [token = ''] = /svc_[0-9A-Za-z]{36}/.exec(created.html) ?? [];
    const used = await forge.anonymous.get('/user', { headers: { authorization: `Bearer ${token}` } });
    t.equal(used.status, 200, 'the token is valid');
    const list = await alice.open('/-/settings/tokens');
    t.notMatch(list.html, /svc_|<img/);
    t.match(withoutSpaces(list.html), /<li>read all repositories [^<]*<code>repo:read<\/code><\/li>.* never expires/);
    const revoke = list.forms.find(({ action }) => action.endsWith('/revoke'))?.action ?? '';
    const stranger = forge.browser('bob');
    await stranger.open('/-/keys');
    t.equal((await stranger.request('POST', new URL(revoke, forge.url))).status, 404);
    t.match(await alice.submit(list, {}, at(list, revoke)), { status: 200, path: '/-/settings/tokens' });
    t.equal((await forge.anonymous.get('/user', { headers: { authorization: `Bearer ${token}` } })).status, 401);
  });

  await t.test('sessions', async (t) => {
    const other = forge.browser('alice');
    await other.open('/-/settings/sessions');
    const page = await alice.open('/-/settings/sessions');
    t.equal(page.html.match(/this browser/g)?.length, 1);
    const ends = page.forms.filter(({ action }) => action.endsWith('/end')).map(({ action }) => action);
    const stranger = forge.browser('bob');
    await stranger.open('/-/keys');
    for (const action of ends) t.equal((await stranger.request('POST', new URL(action, forge.url))).status, 404);
    for (const action of ends) await alice.submit(page, {}, at(page, action));
    t.match((await other.open('/-/settings/sessions')).path, /sign-in/);
    const alone = await alice.open('/-/settings/sessions');
    t.equal(at(alone, '/-/settings/sessions/end-others'), -1);

    const [second, third] = [forge.browser('alice'), forge.browser('alice')];
    for (const one of [second, third, stranger]) await one.open('/-/settings/sessions');
    const all = await alice.open('/-/settings/sessions');
    const left = await alice.submit(all, {}, at(all, '/-/settings/sessions/end-others'));
    t.match([left.status, left.html.match(/signed in <time/g)?.length], [200, 1]);
    for (const one of [second, third]) t.match((await one.open('/-/settings/sessions')).path, /sign-in/);
    t.equal((await stranger.open('/-/settings/sessions')).path, '/-/settings/sessions', 'of the caller alone');
  });
});

void t.test('without repositories the page of a user has no lists', async (t) => {
  await using forge: TestHost = await testHost([], {
    environment: {
      HEXFORGE_PLUGINS: [
        'repositories',
        'git-http',
        'planning',
        'issues',
        'merges',
        'mcp',
        'limits',
        'search',
        'search-sql',
      ]
        .map((name) => `-${name}`)
        .join(),
    },
    users: ['alice'],
  });
  const page = await forge.browser().open('/alice');
  t.match([page.status, /Repositories/.test(page.html)], [200, false]);
});
